import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Confirm } from './dialog.tsx'

interface LeaveGuardProps {
  /** Whether something would be lost. */
  readonly when: boolean
  readonly title: string
  /** What leaving is called. */
  readonly act: string
  /** What would be lost. */
  readonly children: ReactNode
}

/** Asks whoever goes to another page, or closes this one, at the wrong moment. */
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
