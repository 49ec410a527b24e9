import type { EmulatedBot, PlatformControl, SayResult, SayFile, SayOptions } from '../kit/control.ts'
import { checkFault, isApplicable, type WeixinFault, WEIXIN_SWITCHES } from './faults.ts'
import { encrypt } from './media-store.ts'
import { rawNumber, makeToken } from './message-ids.ts'
import { WEIXIN_BOT, type WeixinState } from './state.ts'

type Fields = Readonly<Record<string, unknown>>

/** Creates the control operations. @param dropConnections Closes the connections of both addresses. */
export function createControl(state: WeixinState, dropConnections: () => void): PlatformControl<WeixinFault> {
  return {
    ...state.chatStore.operations(),
    bot: async () => toEmulatedBot(state),
    say: async (options) => say(state, options),
    async injectFault(fault) {
      checkFault(fault)
      const injected = state.faults.inject(fault)
      if (fault.method === 'getupdates') state.inbound.release()
      return injected
    },
    faults: async () => state.faults.active,
    clearFaults: async ({ id } = {}) => state.faults.clear(id),
    switches: async () => WEIXIN_SWITCHES,
    dropConnections: async () => dropConnections(),
    async revoke() {
      state.revoked = true
      state.inbound.release()
    },
    scan: async (act) => state.logins.performScan(act),
  }
}

const toEmulatedBot = ({ session, addresses, inbound, logins }: WeixinState): EmulatedBot => ({
  id: WEIXIN_BOT.id,
  name: WEIXIN_BOT.name,
  connected: inbound.isPolled,
  setup: logins.waiting,
  credentials: { token: session.token, base_url: addresses[session.host] },
})

function say(state: WeixinState, options: SayOptions): SayResult {
  const { from, group, text = '', replyTo, file } = options
  if (group) throw new RangeError('Weixin supports direct chats only')
  if (from.id === '') throw new RangeError('A person needs an id')
  if (text === '' && !file) throw new RangeError('A message needs a text or a file')
  const messageId = state.ids.next()
  const bytes = file && Buffer.from(file.base64, 'base64')
  // a voice message contains its transcript
  const textItem = text !== '' && file?.kind !== 'voice' ? [{ type: 1, text_item: { text } }] : []
  const fileItem = file && bytes ? [toFileItem(state, file, bytes, text)] : []
  const quote = replyTo === undefined ? {} : { ref_msg: { svr_id: rawNumber(requireMessageId(replyTo)) } }
  const items: readonly Fields[] = [...textItem, ...fileItem].map((item, at) =>
    at === 0 ? { ...item, ...quote } : item,
  )
  state.chatStore.addPersonMessage({
    chatId: from.id,
    messageId,
    name: from.name ?? from.id,
    text,
    replyTo: replyTo ?? null,
    files: file && bytes ? [{ name: file.name ?? file.kind, bytes }] : [],
  })
  state.inbound.push({
    messageId,
    body: {
      seq: Number(BigInt(messageId) % 1_000_000n),
      message_id: rawNumber(messageId),
      from_user_id: from.id,
      to_user_id: WEIXIN_BOT.id,
      client_id: makeToken('client', messageId).slice(0, 16),
      create_time_ms: state.clock.now(),
      session_id: `${from.id}#${WEIXIN_BOT.id}`,
      group_id: '',
      message_type: from.isBot === true ? 2 : 1,
      message_state: 2,
      context_token: state.contexts.issue(from.id),
      item_list: items,
    },
  })
  return { chatId: from.id, messageId }
}

function requireMessageId(id: string): string {
  if (!/^\d{1,20}$/.test(id)) throw new RangeError('replyTo must be the id of a message')
  return id
}

/** Stores a file on the CDN and returns its item. The place of the key depends on the kind of file. */
function toFileItem(state: WeixinState, file: SayFile, bytes: Buffer, transcript: string): Fields {
  const fault = state.faults.take('say', undefined, isApplicable('say'))
  const key = Buffer.from(makeToken('key', state.ids.next()), 'base64url').subarray(0, 16)
  const isPlain = fault?.kind === 'plain_media'
  const parameter = state.media.put(isPlain ? bytes : encrypt(bytes, key))
  const query = new URLSearchParams({ encrypted_query_param: parameter })
  const keyText = file.kind === 'voice' ? key : Buffer.from(key.toString('hex'))
  const media = {
    encrypt_query_param: parameter,
    encrypt_type: isPlain ? 0 : 1,
    ...(!isPlain && { aes_key: keyText.toString('base64') }),
    ...(fault?.kind !== 'no_full_url' && { full_url: `${state.addresses.first}/c2c/download?${query.toString()}` }),
  }
  const size = file.announcedBytes ?? bytes.length
  switch (file.kind) {
    case 'image':
      return {
        type: 2,
        image_item: {
          media: { ...media, aes_key: '' },
          ...(!isPlain && { aeskey: key.toString('hex') }),
          hd_size: size,
        },
      }
    case 'voice':
      return { type: 3, voice_item: { media, encode_type: 7, sample_rate: 16_000, playtime: 1_000, text: transcript } }
    case 'video':
      return { type: 5, video_item: { media, video_size: size, play_length: 1 } }
    default:
      return { type: 4, file_item: { media, file_name: file.name ?? 'file', len: String(size) } }
  }
}
