import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as DialogBase } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import style from './dialog.module.css'
import { Icon } from './icon.tsx'
import { partTexts } from './texts.ts'
import { useTexts } from '../language/texts.ts'

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
