import { useBlocker } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sendTexts } from './texts.ts'
import { useTexts } from '../../../language/texts.ts'
import { Confirm } from '../../../parts/dialog.tsx'

/** Asks whoever goes away while a message is on its way to several: those who wait would not get it. */
export function Leaving({ isSending }: { readonly isSending: boolean }): ReactNode {
  const texts = useTexts(sendTexts)
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isSending,
    enableBeforeUnload: () => isSending,
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
