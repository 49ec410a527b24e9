import { type FeishuEmulator, type FeishuEmulatorOptions, startFeishuEmulator } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { Chat } from '../../message.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { FeishuCredentials } from './credentials.ts'
import { unescapeEntities } from './dialect.ts'
import { feishuLimits } from './limits.ts'
import { feishu } from './platform.ts'

type Control = FeishuEmulator['control']

const ANN = { id: 'ou_ann', name: 'Ann' }
const BOB = { id: 'ou_bob', name: 'Bob' }
const GROUP = { id: 'oc_team', title: 'Team' }
const SEND = 'im.v1.messages.create'

/** The shared suite's view of the Feishu emulator. */
export const feishuHarness: PlatformHarness<FeishuCredentials> = {
  platform: feishu,
  redelivers: true,
  start: startFeishuWorld,
}

/** The Feishu emulator as the shared suite drives it. */
export interface FeishuWorld extends PlatformWorld<FeishuCredentials> {
  readonly control: Control
  readonly url: string
}

/** Events that were not confirmed come again soon, and a group is read in full. */
export async function startFeishuWorld(options: FeishuEmulatorOptions = {}): Promise<FeishuWorld> {
  const emulator = await startFeishuEmulator({ redeliverMs: Array.from({ length: 50 }, () => 500), ...options })
  const { control, url } = emulator
  await control.injectFault({ kind: 'scope', scope: 'im:message.group_msg', granted: true })
  const { credentials } = await control.bot()
  const [appId = '', secret = ''] = [credentials['app_id'], credentials['app_secret']]
  const say = async (
    kind: Chat['kind'],
    said: Omit<Parameters<typeof control.say>[0], 'from'>,
    from: Parameters<typeof control.say>[0]['from'] = ANN,
  ): Promise<Spoken> => {
    const { chatId, messageId } = await control.say({ from, ...said })
    return { chat: { id: chatId, kind }, messageId }
  }
  return {
    control,
    url,
    credentials: { app_id: appId, app_secret: secret },
    strangers: { app_id: 'cli_00000000000000ff', app_secret: 'x'.repeat(32) },
    secrets: [secret, 'x'.repeat(32)],
    host: () => url,
    say: (text) => say('direct', { text }),
    async sayInGroup(text, how) {
      const last = (await control.sent({ chatId: GROUP.id })).at(-1)
      const replyTo = how === 'reply' && last !== undefined ? { replyTo: last.messageId } : {}
      return say('group', { text, group: GROUP, mention: how === 'mention', ...replyTo })
    },
    async sayFile(bytes, announcedBytes = bytes.length) {
      const file = { kind: 'file', name: 'a.bin', base64: Buffer.from(bytes).toString('base64') } as const
      if (announcedBytes <= feishuLimits.fileBytes.inbound) return say('direct', { file })
      // the platform says no size before the download refuses it
      const spoken = await say('direct', { file }, BOB)
      await control.injectFault({
        kind: 'error',
        code: 234037,
        message: 'Downloaded file size exceeds limit.',
        method: 'im.v1.resources.get',
        chatId: spoken.chat.id,
      })
      return spoken
    },
    sayAsOtherBot: (text) => say('group', { text, group: GROUP }, { id: 'ou_other', name: 'Other', isBot: true }),
    async shown(chat) {
      const messages = await control.sent({ chatId: chat.id })
      return messages.map(({ messageId, text, files }) => ({
        messageId,
        text: unescapeEntities(text),
        files: files.map(({ name }) => name),
      }))
    },
    refuse: (code) => refuse(control, code),
    async lose(how) {
      const kind = { shown: 'drop_after', lost: 'drop_before', proxy_page: 'bad_gateway' } as const
      await control.injectFault({ kind: kind[how], method: SEND })
      return true
    },
    revoke: () => control.revoke(),
    close: () => emulator.close(),
  }
}

const CODES: Readonly<Partial<Record<ChannelRefusal, number>>> = {
  configuration: 230013,
  recipient_unreachable: 230002,
  quota_used_up: 99991403,
  markup_rejected: 230099,
  reply_target_gone: 230011,
  content_rejected: 230028,
}

async function refuse(control: Control, code: ChannelRefusal): Promise<Chat | null> {
  const { chatId } = await control.say({ from: ANN, text: 'refuse' })
  const chat: Chat = { id: chatId, kind: 'direct' }
  const platformCode = CODES[code]
  if (platformCode !== undefined) {
    await control.injectFault({ kind: 'error', code: platformCode, method: SEND })
    return chat
  }
  if (code === 'rate_limited') {
    await control.injectFault({ kind: 'rate_limited', resetSeconds: 7, method: SEND })
    return chat
  }
  if (code !== 'credentials_rejected') return null
  await control.revoke()
  return chat
}
