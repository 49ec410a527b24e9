import { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { Chat } from '../../message.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { DiscordCredentials } from './credentials.ts'
import { discord } from './platform.ts'

/** What a test can do to the emulator. */
export type DiscordControl = DiscordEmulator['control']
type SayOptions = Parameters<DiscordControl['say']>[0]

/** The person who writes in tests. */
export const ANN = { id: '1300000000000000007', name: 'Ann' }
const GUILD = { id: '1300000000000000300', title: 'Team' }

/** The shared suite's view of the Discord emulator. */
export const discordHarness: PlatformHarness<DiscordCredentials> = {
  platform: discord,
  // only within a session: a connection without a cursor begins a new one
  redelivers: false,
  start: startDiscordWorld,
}

/** The emulated world, with what only Discord has. */
export interface DiscordWorld extends PlatformWorld<DiscordCredentials> {
  readonly control: DiscordControl
  readonly apiUrl: string
  /** Anything that a person can do, in the private channel with Ann unless it says otherwise. */
  speak(options: Partial<SayOptions>): Promise<Spoken>
}

/** A fresh emulator. */
export async function startDiscordWorld(options: DiscordEmulatorOptions = {}): Promise<DiscordWorld> {
  const emulator = await startDiscordEmulator(options)
  const { control, apiUrl } = emulator
  const { credentials } = await control.bot()
  const token = credentials['bot_token'] ?? ''
  const stranger = `${Buffer.from('1300000000000000555').toString('base64url')}.Nobody.${'x'.repeat(35)}`
  const speak = async (said: Partial<SayOptions>): Promise<Spoken> => {
    const { chatId, messageId } = await control.say({ from: ANN, ...said })
    return { chat: { id: chatId, kind: said.group === undefined ? 'direct' : 'group' }, messageId }
  }
  const inGroup = (said: Partial<SayOptions>): Promise<Spoken> => speak({ group: GUILD, ...said })
  return {
    control,
    apiUrl,
    speak,
    credentials: { bot_token: token },
    strangers: { bot_token: stranger },
    secrets: [token.slice(token.indexOf('.') + 1), stranger.slice(stranger.indexOf('.') + 1)],
    host: () => apiUrl,
    say: (text) => speak({ text }),
    async sayInGroup(text, how) {
      if (how === 'mention') return inGroup({ text, mention: true })
      if (how === 'nothing') return inGroup({ text })
      const last = (await control.sent()).at(-1)
      return inGroup({ text, ...(last === undefined ? {} : { replyTo: last.messageId }) })
    },
    sayFile: (bytes, announcedBytes) => {
      const base64 = Buffer.from(bytes).toString('base64')
      const size = announcedBytes === undefined ? {} : { announcedBytes }
      return speak({ file: { kind: 'file', base64, name: 'a.bin', ...size } })
    },
    sayAsOtherBot: (text) => inGroup({ text, from: { id: '1300000000000000077', name: 'Other', isBot: true } }),
    async shown(chat) {
      const messages = await control.sent({ chatId: chat.id })
      return messages.map(({ messageId, text, files }) => ({ messageId, text, files: files.map(({ name }) => name) }))
    },
    refuse: (code) => refuse(control, code),
    async lose(how) {
      const kind = { shown: 'drop_after', lost: 'drop_before', proxy_page: 'bad_gateway' } as const
      await control.injectFault({ kind: kind[how], method: 'messages.create' })
      return true
    },
    revoke: () => control.revoke(),
    close: () => emulator.close(),
  }
}

async function refuse(control: DiscordControl, code: ChannelRefusal): Promise<Chat | null> {
  const { chatId } = await control.say({ from: ANN, text: 'opens the channel' })
  const chat: Chat = { id: chatId, kind: 'direct' }
  const method = 'messages.create'
  const answer = async (status: number, errorCode: number, message: string): Promise<Chat> => {
    await control.injectFault({ kind: 'error', status, code: errorCode, message, method })
    return chat
  }
  switch (code) {
    case 'credentials_rejected':
      await control.injectFault({ kind: 'unauthorized', method })
      return chat
    case 'configuration':
      return answer(403, 50_013, 'Missing Permissions')
    case 'rate_limited':
      await control.injectFault({ kind: 'rate_limited', retryAfter: 7, method })
      return chat
    case 'recipient_unreachable':
      return answer(403, 50_007, 'Cannot send messages to this user')
    case 'reply_target_gone':
      return answer(400, 160_002, 'Cannot reply without permission to read message history')
    case 'content_rejected':
      return answer(400, 50_035, 'Invalid Form Body')
    case 'chat_moved':
      // a person's id instead of a channel's
      return { id: ANN.id, kind: 'direct' }
    case 'taken_over':
    case 'no_context':
    case 'quota_used_up':
    case 'markup_rejected':
    case 'network':
      return null
  }
}
