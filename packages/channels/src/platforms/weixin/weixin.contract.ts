import { startWeixinEmulator, type WeixinEmulator } from '@gatepost/emulators'
import type { ChannelRefusal } from '../../errors.ts'
import type { Chat } from '../../message.ts'
import type { PlatformHarness, PlatformWorld, Spoken } from '../../contract/world.contract.ts'
import type { WeixinCredentials } from './credentials.ts'
import { weixin } from './platform.ts'

const ANN = { id: 'ann@im.wechat', name: 'Ann' }
/** Quiet polls end soon, because the clock of the suite stands still and the emulator's does not. */
const HOLD_MS = 100

/** The shared suite's view of the Weixin emulator. */
export const weixinHarness: PlatformHarness<WeixinCredentials> = {
  platform: weixin,
  redelivers: true,
  start: startWeixinWorld,
}

/** The Weixin emulator as the shared suite drives it. */
export interface WeixinWorld extends PlatformWorld<WeixinCredentials> {
  readonly control: WeixinEmulator['control']
  readonly emulator: WeixinEmulator
}

/** @param options Of the emulator. */
export async function startWeixinWorld(options: Parameters<typeof startWeixinEmulator>[0] = {}): Promise<WeixinWorld> {
  const emulator = await startWeixinEmulator({ holdMs: HOLD_MS, ...options })
  const { control, url, cdnUrl } = emulator
  const { token = '' } = (await control.bot()).credentials
  const say = async (said: Omit<Parameters<typeof control.say>[0], 'from'>): Promise<Spoken> => {
    const { chatId, messageId } = await control.say({ from: ANN, ...said })
    return { chat: { id: chatId, kind: 'direct' }, messageId }
  }
  return {
    control,
    emulator,
    credentials: { token },
    strangers: { token: 'x'.repeat(40) },
    secrets: [token, 'x'.repeat(40)],
    host: (setting) => (setting === 'GATEPOST_WEIXIN_CDN_URL' ? cdnUrl : url),
    say: (text) => say({ text }),
    sayInGroup: () => Promise.resolve(null),
    sayFile(bytes, announcedBytes) {
      const base64 = Buffer.from(bytes).toString('base64')
      const announced = announcedBytes === undefined ? {} : { announcedBytes }
      return say({ file: { kind: 'file', base64, name: 'a.bin', ...announced } })
    },
    async sayAsOtherBot(text) {
      const { chatId, messageId } = await control.say({ from: { ...ANN, isBot: true }, text })
      return { chat: { id: chatId, kind: 'direct' }, messageId }
    },
    async shown(chat) {
      const messages = await control.sent({ chatId: chat.id })
      return messages.map(({ messageId, text, files }) => ({ messageId, text, files: files.map(({ name }) => name) }))
    },
    refuse: (code) => refuse(control, code),
    async lose(how) {
      const kind = { shown: 'drop_after', lost: 'drop_before', proxy_page: 'bad_gateway' } as const
      await control.injectFault({ kind: kind[how], method: 'sendmessage' })
      return true
    },
    revoke: () => control.revoke(),
    close: () => emulator.close(),
  }
}

async function refuse(control: WeixinEmulator['control'], code: ChannelRefusal): Promise<Chat | null> {
  const method = 'sendmessage'
  const chat: Chat = { id: ANN.id, kind: 'direct' }
  switch (code) {
    case 'credentials_rejected':
      await control.injectFault({ kind: 'session_expired', method })
      return chat
    case 'quota_used_up':
      await control.injectFault({ kind: 'refused', method, errmsg: 'prepare failed' })
      return chat
    case 'no_context':
      return { id: 'silent@im.wechat', kind: 'direct' }
    default:
      return null // one code stands for whatever else goes wrong
  }
}
