import { startTelegramEmulator, type TelegramControl } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { Chat } from '../../message.ts'
import type { TelegramCredentials } from './credentials.ts'
import { telegram } from './platform.ts'

const ANN = { id: 42, first_name: 'Ann', username: 'ann' }
const GROUP = -4242

/** The shared suite's view of the Telegram emulator. */
export const telegramHarness: PlatformHarness<TelegramCredentials> = {
  platform: telegram,
  redelivers: true,
  findsOnlyAbsence: true,
  start: startTelegramWorld,
}

/** The Telegram emulator as the shared suite drives it. */
export interface TelegramWorld extends PlatformWorld<TelegramCredentials> {
  readonly control: TelegramControl
  readonly url: string
}

/** Starts the Telegram emulator. */
export async function startTelegramWorld(): Promise<TelegramWorld> {
  const emulator = await startTelegramEmulator({ conflictDelayMs: 0 })
  const { control, url } = emulator
  const bot = await control.configureBot({ can_read_all_group_messages: true })
  const direct = async (options: Partial<Parameters<TelegramControl['say']>[0]>): Promise<Spoken> => {
    const { chatId, messageId } = await control.say({ from: ANN, ...options })
    return { chat: { id: String(chatId), kind: 'direct' }, messageId: String(messageId) }
  }
  const inGroup = async (options: Partial<Parameters<TelegramControl['say']>[0]>): Promise<Spoken> => {
    const { messageId } = await control.say({ from: ANN, chat: GROUP, ...options })
    return { chat: { id: String(GROUP), kind: 'group' }, messageId: String(messageId) }
  }
  return {
    control,
    url,
    credentials: { bot_token: bot.token, parse_mode: 'Markdown' },
    strangers: { bot_token: `7:${'x'.repeat(35)}`, parse_mode: 'Markdown' },
    secrets: [bot.token.slice(bot.token.indexOf(':') + 1), 'x'.repeat(35)],
    host: () => url,
    say: (text) => direct({ text }),
    async sayInGroup(text, how) {
      if (how === 'mention') return inGroup({ text: `@${bot.username.toUpperCase()} ${text}` })
      if (how === 'nothing') return inGroup({ text })
      const last = (await control.sent({ chatId: GROUP })).at(-1)
      return inGroup({ text, ...(last === undefined ? {} : { replyTo: last.messageId }) })
    },
    sayFile: (bytes, announcedBytes) => {
      const base64 = Buffer.from(bytes).toString('base64')
      return direct({
        document: { base64, name: 'a.bin', ...(announcedBytes === undefined ? {} : { size: announcedBytes }) },
      })
    },
    sayAsOtherBot: (text) => inGroup({ text, from: { id: 77, is_bot: true, first_name: 'Other' } }),
    async shown(chat) {
      const messages = await control.sent({ chatId: Number(chat.id) })
      return messages.map(({ messageId, text, files }) => ({
        messageId: String(messageId),
        text,
        files: files.map(({ name }) => name),
      }))
    },
    refuse: (code) => refuse(control, code),
    async lose(how) {
      const kind = { shown: 'drop_after', lost: 'drop_before', proxy_page: 'bad_gateway' } as const
      await control.injectFault({ kind: kind[how], method: 'sendMessage' })
      return true
    },
    async revoke() {
      await control.revokeToken({})
      await direct({ text: 'ends the poll that is held' })
    },
    close: () => emulator.close(),
  }
}

async function refuse(control: TelegramControl, code: ChannelRefusal): Promise<Chat | null> {
  const chat: Chat = { id: String(ANN.id), kind: 'direct' }
  const method = 'sendMessage'
  const answer = async (status: number, description: string): Promise<Chat> => {
    await control.injectFault({ kind: 'error', code: status, description, method })
    return chat
  }
  switch (code) {
    case 'credentials_rejected':
      await control.injectFault({ kind: 'unauthorized', method })
      return chat
    case 'configuration':
      return answer(400, 'Bad Request: not enough rights to send text messages to the chat')
    case 'taken_over':
      return answer(409, 'Conflict')
    case 'rate_limited':
      await control.injectFault({ kind: 'rate_limited', retryAfter: 7, method })
      return chat
    case 'recipient_unreachable':
      await control.block({ chatId: ANN.id })
      return chat
    case 'markup_rejected':
      await control.injectFault({ kind: 'cannot_parse', method })
      return chat
    case 'reply_target_gone':
      return answer(400, 'Bad Request: message to be replied not found')
    case 'content_rejected':
      await control.injectFault({ kind: 'too_large', method })
      return chat
    case 'chat_moved':
      await control.say({ from: ANN, chat: GROUP, text: 'soon a supergroup' })
      await control.migrateGroup({ chatId: GROUP, by: ANN })
      return { id: String(GROUP), kind: 'group' }
    case 'no_context':
    case 'quota_used_up':
    case 'network':
      return null
  }
}
