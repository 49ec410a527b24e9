import { createHash } from 'node:crypto'
import { evictOldest } from '../kit/bounded-log.ts'
import type { PlatformControl, SayResult, SayFile, SayOptions } from '../kit/control.ts'
import type { EmulatorServer } from '../kit/server.ts'
import { expireTokens } from './call.ts'
import { DINGTALK_KINDS, DINGTALK_SWITCHES, type DingtalkFault } from './faults.ts'
import { scan, getSetupState } from './registration.ts'
import { type DingtalkState, directChatId } from './state.ts'
import { BOT_MESSAGES, broadcast, disconnect, deliverEvent, silenceConnections } from './stream.ts'

/** Creates the control operations. A direct chat can also be named by the person's id. */
export function createControl(state: DingtalkState, server: EmulatorServer): PlatformControl<DingtalkFault> {
  const operations = state.chatStore.operations()
  const withDirectChatId = <Q extends { readonly chatId?: string }>(query: Q): Q =>
    query.chatId !== undefined && state.people.has(query.chatId)
      ? { ...query, chatId: directChatId(query.chatId) }
      : query
  return {
    ...operations,
    bot: async () => ({
      id: state.bot.id,
      name: state.bot.name,
      connected: [...state.connections].some(({ isSilent }) => !isSilent),
      setup: getSetupState(state),
      credentials: { client_id: state.bot.id, client_secret: state.bot.secret },
    }),
    say: async (options) => say(state, options),
    sent: async (query = {}) => operations.sent(withDirectChatId(query)),
    waitForSent: async (query = {}) => operations.waitForSent(withDirectChatId(query)),
    conversation: async (query) => operations.conversation(withDirectChatId(query)),
    // an immediate fault is over at once, so its id clears nothing
    injectFault: async (fault) =>
      applyImmediateFault(state, fault) ? { id: 0 } : state.faults.inject(withDirectChatId(fault)),
    faults: async () => state.faults.active,
    clearFaults: async ({ id } = {}) => state.faults.clear(id),
    switches: async () => DINGTALK_SWITCHES,
    dropConnections: async () => server.dropConnections(),
    async revoke() {
      state.bot.revoked = true
      expireTokens(state)
      for (const { socket } of state.connections) socket.close()
    },
    scan: async (act) => scan(state, act),
  }
}

/** Applies a fault that takes effect immediately. Returns whether it is one. */
function applyImmediateFault(state: DingtalkState, fault: DingtalkFault): boolean {
  const { kind } = fault
  if (!Object.hasOwn(DINGTALK_KINDS, kind)) throw new RangeError(`Unknown fault: ${String(kind)}`)
  if (kind === 'frame') broadcast(state, fault.type, fault.topic, fault.data)
  else if (kind === 'disconnect') disconnect(state)
  else if (kind === 'half_open') silenceConnections(state)
  else if (kind === 'expire_tokens') expireTokens(state)
  else if (kind === 'expire_webhooks') state.sessions.clear()
  else return false
  return true
}

type Fields = Readonly<Record<string, unknown>>

interface Part {
  /** `msgtype` and its fields. */
  readonly body: Fields
  readonly text: string
  readonly file: SayFile | null
}

const NAMES = { image: 'image.png', file: 'file.bin', voice: 'voice.amr', video: 'video.mp4' } as const
const TYPES = { image: 'image/png', file: 'application/octet-stream', voice: 'audio/amr', video: 'video/mp4' } as const

/** Sends a person's message. Text beside a file that can't have a caption becomes a second message. */
function say(state: DingtalkState, options: SayOptions): SayResult {
  const { from, group } = options
  if (typeof from?.id !== 'string' || from.id === '') throw new RangeError('from.id must be the id of a person')
  if (group !== undefined && typeof group.id !== 'string') throw new RangeError('group.id must be the id of a group')
  if (options.text !== undefined && typeof options.text !== 'string') throw new RangeError('text must be a string')
  const chatId = group?.id ?? directChatId(from.id)
  const [first, second] = toParts(state, options)
  if (first === undefined) throw new RangeError('A message needs a text or a file')
  if (from.isBot !== true) {
    const known = state.people.get(from.id)?.isOutsider === true
    const isOutsider = known || state.faults.take('say', chatId, ({ kind }) => kind === 'outsider') !== null
    state.people.set(from.id, { name: from.name ?? from.id, chatId: directChatId(from.id), isOutsider })
  }
  if (group !== undefined) state.groups.add(group.id)
  const said = postMessage(state, options, chatId, first)
  if (second !== undefined) postMessage(state, options, chatId, second)
  return said
}

function postMessage(state: DingtalkState, options: SayOptions, chatId: string, part: Part): SayResult {
  const { from, group, replyTo = null } = options
  const messageId = `${state.nextId('msg')}==`
  const name = from.name ?? from.id
  const files = part.file === null ? [] : [{ name: getFileName(part.file), bytes: decodeContent(part.file) }]
  state.chatStore.addPersonMessage({ chatId, messageId, name, text: part.text, files, replyTo })
  const isForBot = from.isBot !== true && (group === undefined || options.mention === true)
  if (isForBot) {
    const data = { ...envelope(state, options, chatId, messageId), ...part.body }
    const event = { messageId, topic: BOT_MESSAGES, data, bornMs: state.clock.now(), confirmed: new AbortController() }
    void deliverEvent(state, event)
  }
  return { chatId, messageId }
}

function envelope(state: DingtalkState, options: SayOptions, chatId: string, messageId: string): Fields {
  const { from, group } = options
  const { clock, times, url, bot } = state
  const session = state.nextId('session')
  const untilMs = clock.now() + times.webhookLifeMs
  state.sessions.set(session, { chatId, untilMs })
  evictOldest(state.sessions, state.history)
  const isOutsider = state.people.get(from.id)?.isOutsider === true
  const place =
    group === undefined
      ? { conversationType: '1' }
      : {
          conversationType: '2',
          conversationTitle: group.title ?? group.id,
          isInAtList: true,
          atUsers: [{ dingtalkId: openId(bot.id) }],
        }
  return {
    msgId: messageId,
    createAt: clock.now(),
    conversationId: chatId,
    ...place,
    chatbotUserId: openId(bot.id),
    chatbotCorpId: 'dinggatepostcorp',
    senderId: openId(from.id),
    ...(!isOutsider && { senderStaffId: from.id }),
    senderNick: from.name ?? from.id,
    senderCorpId: isOutsider ? '' : 'dinggatepostcorp',
    isAdmin: false,
    sessionWebhook: `${url}/robot/sendBySession?session=${session}`,
    sessionWebhookExpiredTime: untilMs,
    robotCode: bot.id,
    senderPlatform: 'Mac',
  }
}

function toParts(state: DingtalkState, options: SayOptions): readonly Part[] {
  const { text, file, group, replyTo } = options
  const quote = replyTo === undefined ? {} : { isReplyMsg: true, repliedMsg: toQuote(state, replyTo) }
  const toTextParts = (): Part[] => {
    if (text === undefined) return []
    // the platform removes the mention and leaves a space
    const content = group === undefined ? text : ` ${text}`
    return [{ body: { msgtype: 'text', text: { content, ...quote } }, text, file: null }]
  }
  if (file === undefined) return toTextParts()
  const downloadCode = offerDownload(state, getFileName(file), decodeContent(file), file.mimeType ?? TYPES[file.kind])
  switch (file.kind) {
    case 'image': {
      const rich = { richText: [{ text }, { downloadCode, type: 'picture' }] }
      const plain = { downloadCode, pictureDownloadCode: downloadCode }
      const body = text === undefined ? { msgtype: 'picture', content: plain } : { msgtype: 'richText', content: rich }
      return [{ body, text: text ?? '', file }]
    }
    case 'voice': {
      const content = { downloadCode, duration: 1_000, recognition: text ?? '' }
      return [{ body: { msgtype: 'audio', content }, text: text ?? '', file }]
    }
    case 'video': {
      const content = { downloadCode, duration: 1_000, videoType: 'mp4' }
      return [{ body: { msgtype: 'video', content }, text: '', file }, ...toTextParts()]
    }
    case 'file': {
      const ids = { spaceId: state.nextId('space'), fileId: state.nextId('file') }
      const content = { downloadCode, fileName: getFileName(file), ...ids }
      return [{ body: { msgtype: 'file', content }, text: '', file }, ...toTextParts()]
    }
  }
}

function toQuote(state: DingtalkState, messageId: string): Fields {
  const quoted = state.chatStore.findMessage(messageId)
  if (quoted === null) throw new RangeError('There is no message with this id')
  const [file] = quoted.files ?? []
  const quote = { msgId: messageId, senderId: openId(quoted.by === 'bot' ? state.bot.id : quoted.name) }
  if (file === undefined) return { ...quote, msgType: 'text', content: { text: quoted.text } }
  const isPicture = /\.(?:jpe?g|png|gif|webp)$/i.test(file.name)
  const downloadCode = offerDownload(state, file.name, file.bytes, TYPES[isPicture ? 'image' : 'file'])
  if (isPicture) return { ...quote, msgType: 'picture', content: { downloadCode } }
  return { ...quote, msgType: 'file', content: { downloadCode, fileName: file.name } }
}

function offerDownload(state: DingtalkState, name: string, bytes: Uint8Array, mimeType: string): string {
  const code = `${state.nextId('code+/')}==`
  state.downloads.put(code, { name, mimeType, bytes, untilMs: state.clock.now() + state.times.downloadLifeMs })
  return code
}

const getFileName = (file: SayFile): string => file.name ?? NAMES[file.kind]

/** @throws {RangeError} when the content isn't base64 */
function decodeContent({ base64 }: SayFile): Buffer {
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) {
    throw new RangeError('The content of a file must be base64')
  }
  return Buffer.from(base64, 'base64')
}

const openId = (id: string): string =>
  `$:LWCP_v1:$${createHash('sha256').update(`open ${id}`).digest('base64url').slice(0, 24)}`
