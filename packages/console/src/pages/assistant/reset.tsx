import { type ReactNode, useState } from 'react'
import { assistantTexts } from './texts.ts'
import type { Assistant } from '../../api/gateway-api.ts'
import { useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { notify, useNotifyError } from '../../parts/toast.tsx'

/** Resets the settings after confirmation. */
export function Reset({ onReset }: { onReset(assistant: Assistant): void }): ReactNode {
  const texts = useTexts(assistantTexts)
  const tellError = useNotifyError()
  const [isOpen, setOpen] = useState(false)
  const reset = useChange('resetAssistant', 'getService')
  const confirm = (): void =>
    reset.mutate(undefined, {
      onSuccess: (assistant) => {
        onReset(assistant)
        notify(texts.resetDone)
      },
      onError: tellError,
      onSettled: () => setOpen(false),
    })
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {texts.reset}
      </Button>
      <Confirm
        open={isOpen}
        title={texts.resetTitle}
        act={texts.reset}
        busy={reset.isPending}
        onConfirm={confirm}
        onClose={() => setOpen(false)}
      >
        {texts.resetLead}
      </Confirm>
    </>
  )
}
