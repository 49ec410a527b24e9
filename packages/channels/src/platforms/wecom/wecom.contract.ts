import { startWecomEmulator, type WecomEmulator, type WecomEmulatorOptions } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { Chat } from '../../message.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { WecomCredentials } from './credentials.ts'
import { wecom } from './platform.ts'
import { holdReplyTimers } from './testing-timers.ts'

/** The shared suite's view of the WeCom emulator. */
export const wecomHarness: PlatformHarness<WecomCredentials> = {
  platform: wecom,
  redelivers: false,
  start: async () => {
    const world = await startWecomWorld()
    const timers = holdReplyTimers()
    return {
      ...world,
      async lose(how) {
        const isLost = await world.lose(how)
        if (isLost) timers.expireWhen(async () => (await world.emulator.control.faults()).length === 0)
        return isLost
      },
      async close() {
        timers.release()
        await world.close()
      },
    }
  },
}

/** The WeCom emulator as the shared suite drives it. */
export interface WecomWorld extends PlatformWorld<WecomCredentials> {
  readonly emulator: WecomEmulator
}

const ANN = { id: 'ann', name: 'Ann' }
const GROUP = { id: 'wrGroup', title: 'Team' }
/** The code of the platform for a refusal that can come to a send. */
const CODES: Partial<Readonly<Record<ChannelRefusal, number>>> = {
  credentials_rejected: 853000,
  rate_limited: 45009,
  content_rejected: 40058,
}

/** Starts the WeCom emulator. */
export async function startWecomWorld(options: WecomEmulatorOptions = {}): Promise<WecomWorld> {
  const emulator = await startWecomEmulator(options)
  const { control } = emulator
  const { credentials } = await control.bot()
  const { bot_id = '', secret = '' } = credentials
  const direct = async (said: Partial<Parameters<typeof control.say>[0]>): Promise<Spoken> => {
    const { chatId, messageId } = await control.say({ from: ANN, ...said })
    return { chat: { id: chatId, kind: 'direct' }, messageId }
  }
  const method = '*'
  return {
    emulator,
    credentials: { bot_id, secret },
    strangers: { bot_id: 'aibUnheardOf', secret: 'wrong'.repeat(8) },
    secrets: [secret, 'wrong'.repeat(8)],
    host: (setting) => (setting === 'GATEPOST_WECOM_WS_URL' ? emulator.wsUrl : emulator.url),
    say: (text) => direct({ text }),
    async sayInGroup(text, how) {
      const last = (await control.sent({ chatId: GROUP.id })).at(-1)
      const quoted = how === 'reply' && last !== undefined ? { replyTo: last.messageId } : {}
      const mention = how !== 'nothing'
      const { chatId, messageId } = await control.say({ from: ANN, group: GROUP, text, mention, ...quoted })
      return mention ? { chat: { id: chatId, kind: 'group' }, messageId } : null
    },
    sayFile: (bytes, announcedBytes) => {
      const shown = announcedBytes === undefined ? bytes : Buffer.alloc(announcedBytes)
      return direct({ file: { kind: 'file', base64: Buffer.from(shown).toString('base64'), name: 'a.bin' } })
    },
    sayAsOtherBot: async () => null,
    async shown(chat) {
      const messages = await control.sent({ chatId: chat.id })
      return messages.map(({ text, files, unfinished }) => ({
        messageId: null,
        text: text.replace(/\\(.)/g, '$1'),
        files: files.map(({ name }) => name),
        unfinished,
      }))
    },
    async refuse(code): Promise<Chat | null> {
      if (code === 'recipient_unreachable') return { id: 'nobody', kind: 'direct' }
      const errcode = CODES[code]
      if (errcode === undefined) return null
      await control.injectFault({ kind: 'error', code: errcode, method })
      return { id: ANN.id, kind: 'direct' }
    },
    async lose(how) {
      if (how === 'proxy_page') return false
      await control.injectFault({ kind: how === 'shown' ? 'swallow_ack' : 'hang', method })
      return true
    },
    revoke: () => control.revoke(),
    close: () => emulator.close(),
  }
}
