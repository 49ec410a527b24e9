import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { assistantTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { Confirm } from '../../parts/dialog.tsx'

/** Asks whoever leaves with changes that are not saved. */
export function LeaveGuard({ when }: { readonly when: boolean }): ReactNode {
  const texts = useTexts(assistantTexts)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => when && current.pathname !== next.pathname,
    enableBeforeUnload: () => when,
    withResolver: true,
  })
  return (
    <Confirm
      open={status === 'blocked'}
      title={texts.leaveTitle}
      act={texts.leave}
      onConfirm={() => proceed?.()}
      onClose={() => reset?.()}
    >
      {texts.leaveLead}
    </Confirm>
  )
}
