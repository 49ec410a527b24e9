import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'

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
