import { type DingtalkEmulator, type DingtalkEmulatorOptions, startDingtalkEmulator } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { Chat } from '../../message.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { DingtalkCredentials } from './credentials.ts'
import { dingtalk } from './platform.ts'

/** What a test can do to the emulator. */
export type DingtalkControl = DingtalkEmulator['control']
type SayOptions = Parameters<DingtalkControl['say']>[0]

/** Belongs to the organisation. */
export const ANN = { id: 'manager807', name: 'Ann' }
/** The bot is a member. */
export const GROUP = { id: 'cidGroup==', title: 'Team' }

/** The shared suite's view of the DingTalk emulator. */
export const dingtalkHarness: PlatformHarness<DingtalkCredentials> = {
  platform: dingtalk,
  redelivers: true,
  start: () => startDingtalkWorld(),
}

/** The emulated world, with what only DingTalk has. */
export interface DingtalkWorld extends PlatformWorld<DingtalkCredentials> {
  readonly control: DingtalkControl
  readonly url: string
  /** Anything that a person can do, in the direct chat with Ann unless it says otherwise. */
  speak(options: Partial<SayOptions>): Promise<Spoken>
}

/** A fresh emulator. Messages that are not confirmed come again after 50 ms. */
export async function startDingtalkWorld(options: DingtalkEmulatorOptions = {}): Promise<DingtalkWorld> {
  const emulator = await startDingtalkEmulator({ redeliveryMs: [50], ...options })
  const { control, url } = emulator
  const { credentials } = await control.bot()
  const { client_id = '', client_secret = '' } = credentials
  // the emulator names a direct chat as the platform does; the bot names it by the person
  const conversations = new Map<string, string>()
  const speak = async (options: Partial<SayOptions>): Promise<Spoken> => {
    const said = await control.say({ from: ANN, ...options })
    if (options.group !== undefined) return { chat: { id: said.chatId, kind: 'group' }, messageId: said.messageId }
    const { id } = options.from ?? ANN
    conversations.set(id, said.chatId)
    return { chat: { id, kind: 'direct' }, messageId: said.messageId }
  }
  const inGroup = (options: Partial<SayOptions>): Promise<Spoken> => speak({ group: GROUP, mention: true, ...options })
  return {
    control,
    url,
    speak,
    credentials: { client_id, client_secret },
    strangers: { client_id: 'dingstranger', client_secret: 'x'.repeat(64) },
    secrets: [client_secret, 'x'.repeat(64), 'token-api', 'token-old', 'session='],
    host: () => url,
    say: (text) => speak({ text }),
    async sayInGroup(text, how) {
      if (how === 'mention') return inGroup({ text })
      if (how === 'nothing') return null
      const last = (await control.sent({ chatId: GROUP.id })).at(-1)
      return inGroup({ text, ...(last === undefined ? {} : { replyTo: last.messageId }) })
    },
    sayFile(bytes, announcedBytes) {
      const content = Buffer.alloc(announcedBytes ?? bytes.length)
      content.set(bytes)
      return speak({ file: { kind: 'file', name: 'a.bin', base64: content.toString('base64') } })
    },
    sayAsOtherBot: () => Promise.resolve(null),
    async shown(chat) {
      const messages = await control.sent({ chatId: conversations.get(chat.id) ?? chat.id })
      return messages.map(({ messageId, text, files, unfinished }) => ({
        // only the API names what it sent
        messageId: messageId.startsWith('pqk') ? messageId : null,
        text,
        // what is not taken as it is comes in an archive of its own
        files: files.map(({ name }) => name.replace(/\.txt\.zip$/, '.txt')),
        unfinished,
      }))
    },
    refuse: (code) => refuse(control, code),
    async lose(how) {
      const kind = { shown: 'drop_after', lost: 'drop_before', proxy_page: 'bad_gateway' } as const
      await control.injectFault({ kind: kind[how], method: 'sendBySession' })
      return true
    },
    revoke: () => control.revoke(),
    close: () => emulator.close(),
  }
}

async function refuse(control: DingtalkControl, code: ChannelRefusal): Promise<Chat | null> {
  const chat: Chat = { id: ANN.id, kind: 'direct' }
  const byWebhook = async (errcode: number): Promise<Chat> => {
    await control.injectFault({ kind: 'error', code: errcode, method: 'sendBySession' })
    return chat
  }
  switch (code) {
    case 'credentials_rejected':
      await control.injectFault({ kind: 'expire_webhooks' })
      await control.injectFault({ kind: 'error', code: 'authFailed', method: 'accessToken' })
      return chat
    case 'configuration':
      return byWebhook(310000)
    case 'rate_limited':
      await control.injectFault({ kind: 'expire_webhooks' })
      await control.injectFault({
        kind: 'error',
        code: 'Forbidden.AccessDenied.QpsLimitForApi',
        method: 'oToMessages.batchSend',
      })
      return chat
    case 'recipient_unreachable':
      await control.injectFault({ kind: 'expire_webhooks' })
      await control.injectFault({ kind: 'invalid_users' })
      return chat
    case 'content_rejected':
      return byWebhook(460101)
    case 'taken_over':
    case 'markup_rejected':
    case 'reply_target_gone':
    case 'chat_moved':
    case 'no_context':
    case 'quota_used_up':
    case 'network':
      return null
  }
}
