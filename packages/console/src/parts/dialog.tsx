import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as DialogBase } from '@base-ui/react/dialog'
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, type RefObject, useState } from 'react'
import { useTexts } from '../language/language.ts'
import { Button, classNames } from './button.tsx'
import style from './dialog.module.css'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'

interface DialogProps {
  readonly open: boolean
  readonly title: string
  readonly lead?: ReactNode
  readonly wide?: boolean
  /** Focused first; default: the first focusable element. */
  readonly initialFocus?: RefObject<HTMLElement | null>
  onClose(): void
  readonly children: ReactNode
}

/** A modal dialog. It traps the focus and returns it on close. */
export function Dialog({ open, title, lead, wide = false, initialFocus, onClose, children }: DialogProps): ReactNode {
  const texts = useTexts(partTexts)
  return (
    <DialogBase.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <DialogBase.Portal>
        <DialogBase.Backdrop className={style['backdrop']} />
        <DialogBase.Popup
          className={classNames(style['popup'], wide && style['wide'])}
          {...(initialFocus && { initialFocus })}
        >
          <div className={style['head']}>
            <DialogBase.Title render={<h2 />}>{title}</DialogBase.Title>
            <Button kind="quiet" icon small aria-label={texts.close} onClick={onClose}>
              <Icon name="close" />
            </Button>
          </div>
          {lead !== undefined && (
            <DialogBase.Description render={<div />} className={style['lead']}>
              {lead}
            </DialogBase.Description>
          )}
          {children}
        </DialogBase.Popup>
      </DialogBase.Portal>
    </DialogBase.Root>
  )
}

/** The buttons at the end of a dialog. */
export const DialogActions = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['foot']}>{children}</div>
)

interface ConfirmProps {
  readonly open: boolean
  readonly title: string
  /** What will happen, and what can't be undone. */
  readonly children: ReactNode
  /** The action, as a verb. */
  readonly act: string
  readonly busy?: boolean
  /** Whether the action is destructive. Default `true`. */
  readonly danger?: boolean
  onConfirm(): void
  onClose(): void
}

/** A confirmation dialog. */
export function Confirm({
  open,
  title,
  children,
  act,
  busy = false,
  danger = true,
  onConfirm,
  onClose,
}: ConfirmProps): ReactNode {
  const texts = useTexts(partTexts)
  return (
    <AlertDialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={style['backdrop']} />
        <AlertDialog.Popup className={style['popup']}>
          <AlertDialog.Title render={<h2 />}>{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className={style['lead']}>
            {children}
          </AlertDialog.Description>
          <DialogActions>
            <Button onClick={onClose}>{texts.cancel}</Button>
            <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onConfirm}>
              {act}
            </Button>
          </DialogActions>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}

interface LeaveGuardProps {
  /** Whether leaving would lose something. */
  readonly when: boolean
  readonly title: string
  /** Label of the button to leave. */
  readonly act: string
  /** What would be lost. */
  readonly children: ReactNode
}

/** Asks for confirmation before leaving the page. */
export function LeaveGuard({ when, title, act, children }: LeaveGuardProps): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  return (
    <Confirm
      open={status === 'blocked'}
      title={title}
      act={act}
      onConfirm={() => proceed?.()}
      onClose={() => reset?.()}
    >
      {children}
    </Confirm>
  )
}

interface ConfirmButtonProps {
  /** The action, as a verb. */
  readonly act: string
  /** Accessible name: the action with its object. */
  readonly label?: string
  readonly title: string
  /** What will happen, and what can't be undone. */
  readonly lead: string
  readonly busy: boolean
  readonly small?: boolean
  /** Default `danger`. */
  readonly kind?: 'danger' | 'secondary'
  onConfirm(): void
}

/** A button that asks for confirmation first. */
export function ConfirmButton({
  act,
  label,
  title,
  lead,
  busy,
  small = false,
  kind = 'danger',
  onConfirm,
}: ConfirmButtonProps): ReactNode {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind={kind} small={small} aria-label={label} busy={busy} onClick={() => setAsking(true)}>
        {act}
      </Button>
      <Confirm
        open={isAsking}
        title={title}
        act={act}
        danger={kind === 'danger'}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          onConfirm()
        }}
      >
        {lead}
      </Confirm>
    </>
  )
}
