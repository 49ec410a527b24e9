import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'

interface AskedButtonProps {
  /** The act, as a verb. */
  readonly act: string
  /** The act with what it is done to, for those who do not see where the button stands. */
  readonly label?: string
  readonly title: string
  /** What will happen, and what cannot be taken back. */
  readonly lead: string
  readonly busy: boolean
  readonly small?: boolean
  /** Default `danger`. */
  readonly kind?: 'danger' | 'secondary'
  onConfirm(): void
}

/** A button for what cannot be taken back: it asks first. */
export function AskedButton({
  act,
  label,
  title,
  lead,
  busy,
  small = false,
  kind = 'danger',
  onConfirm,
}: AskedButtonProps): ReactNode {
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
