import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Confirm } from './dialog.tsx'

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
