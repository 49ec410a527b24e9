import { type ReactNode, useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useTexts } from '../../language/language.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card, Facts } from '../../parts/layout.tsx'
import { type Platform, platformTexts } from '../../parts/platform.tsx'
import { Failure } from '../../parts/states.tsx'
import { notify } from '../../parts/toast.tsx'
import style from './channel.module.css'
import type { Channel } from './status.ts'
import { channelTexts } from './texts.ts'
import { useRemoveChannel } from './use-channel.ts'

const code = (text: string | undefined): ReactNode => (text === undefined || text === '' ? null : <code>{text}</code>)

/** The card of connection details: IDs, servers and masked secrets. */
export function ChannelFacts({ channel }: { readonly channel: Channel }): ReactNode {
  const texts = useTexts(channelTexts)
  const names: Readonly<Record<string, string | undefined>> = texts.secrets
  const secrets = Object.entries(channel.secrets)
  const server = channel.domain ?? channel.base_url
  const id = channel.app_id ?? channel.bot_id ?? channel.client_id
  return (
    <Card title={texts.facts}>
      <Facts
        facts={[
          [texts.bot, channel.bot?.name ?? null],
          [texts.appId, code(channel.app_id)],
          [texts.clientId, code(channel.client_id)],
          [texts.botId, channel.bot === null || channel.bot.id === id ? code(channel.bot_id) : code(channel.bot.id)],
          [texts.server, code(server)],
          ...secrets.map(([name, masked]) => [names[name] ?? name, code(masked)] as const),
        ]}
      />
      {server !== undefined && server !== '' && <p className="soft">{texts.serverHint}</p>}
      {secrets.length > 0 && <p className="soft">{texts.secretHint}</p>}
    </Card>
  )
}

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

/** The card that removes the channel after confirmation. */
export function RemoveChannel({ platform }: { readonly platform: Platform }): ReactNode {
  const texts = useTexts(channelTexts)
  const name = useTexts(platformTexts)[platform]
  const [asking, setAsking] = useState(false)
  const removal = useRemoveChannel(platform)
  const act = (): void =>
    // this component is unmounted by then
    void removal.mutateAsync().then(
      () => notify(texts.removed(name)),
      () => undefined, // shown below
    )
  return (
    <Card title={texts.removeTitle}>
      <p className="soft">{texts.removeLead}</p>
      <div>
        <Button kind="danger" onClick={() => setAsking(true)}>
          <Icon name="trash" /> {texts.removeChannel}
        </Button>
      </div>
      <Confirm
        open={asking}
        title={texts.removeQuestion(name)}
        act={texts.removeChannel}
        busy={removal.isPending}
        onConfirm={act}
        onClose={() => setAsking(false)}
      >
        <div className={style['asks']}>
          <p>{texts.removeDeletes}</p>
          <p>{texts.removeKeeps}</p>
          <p>{texts.removeUndo}</p>
          {removal.error !== null && <Failure error={removal.error} />}
        </div>
      </Confirm>
    </Card>
  )
}
