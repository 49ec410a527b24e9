import { type ReactNode, useState } from 'react'
import type { Channel } from './standing.ts'
import { channelTexts } from './texts.ts'
import { useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/texts.ts'
import { Button } from '../../parts/button.tsx'
import { Select } from '../../parts/field.tsx'
import { Card } from '../../parts/layout.tsx'
import { Failure } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'

const MODES = ['Markdown', 'MarkdownV2', 'HTML'] as const

/** The card of the reply format, which only Telegram has. */
export function ParseMode({
  channel: { platform, parse_mode: stored = '' },
}: {
  readonly channel: Channel
}): ReactNode {
  const texts = useTexts(channelTexts)
  const [mode, setMode] = useState(stored)
  const save = useChange('saveChannel', 'getChannel', 'listChannels')
  const isKnown = stored === 'none' || MODES.some((one) => one === stored)
  return (
    <Card title={texts.formatting}>
      <Select
        label={texts.parseMode}
        hint={texts.parseModeHint}
        value={mode}
        options={[
          ...MODES.map((one) => [one, one] as const),
          ['none', texts.parseNone],
          ...(isKnown ? [] : [[stored, stored] as const]),
        ]}
        onChange={setMode}
      />
      {save.error !== null && <Failure error={save.error} />}
      {mode !== stored && (
        <div>
          <Button
            kind="primary"
            busy={save.isPending}
            onClick={() =>
              save.mutate(
                { params: { platform }, body: { parse_mode: mode } },
                { onSuccess: () => notify(texts.saved) },
              )
            }
          >
            {texts.save}
          </Button>
        </div>
      )}
    </Card>
  )
}
