import type { ReactNode } from 'react'
import type { Channel } from './standing.ts'
import { channelTexts } from './texts.ts'
import { useTexts } from '../../language/texts.ts'
import { Card, Facts } from '../../parts/layout.tsx'

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
