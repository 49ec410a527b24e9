import type { PlatformControl, ScanAct, SayResult, SayFile, SayOptions } from '../kit/control.ts'
import type { EmulatorServer } from '../kit/server.ts'
import { WECOM_KINDS, WECOM_SWITCHES, type WecomFault } from './faults.ts'
import { disconnectLive } from './frames.ts'
import { offerDownload, readFile } from './media.ts'
import type { WecomState, Callback } from './state.ts'

/** Creates the control operations. */
export const createControl = (state: WecomState, server: EmulatorServer): PlatformControl<WecomFault> => ({
  ...state.chatStore.operations(),
  bot: async () => ({
    id: state.bot.id,
    name: state.bot.name,
    connected: state.live !== null,
    setup: getSetupState(state),
    credentials: { bot_id: state.bot.id, secret: state.bot.secret },
  }),
  say: async (options) => say(state, server.url, options),
  injectFault: async (fault) => {
    if (!Object.hasOwn(WECOM_KINDS, fault.kind)) throw new RangeError(`Unknown fault: ${String(fault.kind)}`)
    // an immediate fault is over at once, so its id clears nothing
    if (fault.kind === 'kick') disconnectLive(state)
    else if (fault.kind === 'event') raiseEvent(state, fault.from, fault.chatId, fault.event)
    else return state.faults.inject(fault)
    return { id: 0 }
  },
  faults: async () => state.faults.active,
  clearFaults: async ({ id } = {}) => state.faults.clear(id),
  switches: async () => WECOM_SWITCHES,
  dropConnections: async () => server.dropConnections(),
  async revoke() {
    state.bot.revoked = true
    state.live?.socket.close()
    state.live = null
  },
  scan: async (act) => scan(state, act),
})

function getSetupState({ qr, clock }: WecomState): 'waiting' | 'scanned' | null {
  if (qr === null || qr.untilMs <= clock.now()) return null
  return qr.status === 'init' ? 'waiting' : qr.status === 'scanned' ? 'scanned' : null
}

function scan(state: WecomState, { act }: ScanAct): void {
  const { qr } = state
  if (qr === null) throw new RangeError('There is no pending QR code')
  if (qr.untilMs <= state.clock.now()) qr.status = 'expired'
  if (qr.status !== 'init' && qr.status !== 'scanned') throw new RangeError('The QR code is used up or expired')
  switch (act) {
    case 'scan':
      qr.status = 'scanned'
      return
    case 'confirm':
      if (state.bot.revoked) state.renewSecret()
      qr.status = 'success'
      return
    case 'refuse':
      qr.status = 'refused'
      return
    case 'expire':
      qr.status = 'expired'
      return
    default:
      throw new RangeError(`WeCom doesn't support ${act}`)
  }
}

type Fields = Readonly<Record<string, unknown>>

interface Part {
  /** `msgtype` and the field of that name; `null`: the platform doesn't deliver this to bots. */
  readonly body: Fields | null
  readonly text: string
  readonly file: SayFile | null
}

/** Sends a person's message. Text beside a file that can't have a caption becomes a second message. */
function say(state: WecomState, url: string, options: SayOptions): SayResult {
  const { from, group, replyTo } = options
  if (typeof from?.id !== 'string' || from.id === '') throw new RangeError('from.id must be the id of a person')
  if (group !== undefined && typeof group.id !== 'string') throw new RangeError('group.id must be the id of a group')
  if (options.text !== undefined && typeof options.text !== 'string') throw new RangeError('text must be a string')
  const chatId = group?.id ?? from.id
  const quote = replyTo === undefined ? null : toQuote(state, url, replyTo)
  const [first, second] = toParts(state, url, options)
  if (first === undefined) throw new RangeError('A message needs a text or a file')
  const said = postMessage(state, url, options, chatId, first, quote)
  if (second !== undefined) postMessage(state, url, options, chatId, second, null)
  return said
}

function postMessage(
  state: WecomState,
  url: string,
  options: SayOptions,
  chatId: string,
  part: Part,
  quote: Fields | null,
): SayResult {
  const { from, group, replyTo } = options
  const messageId = state.nextId('M')
  const files = part.file === null ? [] : [readFile(part.file)]
  const name = from.name ?? from.id
  state.chatStore.addPersonMessage({ chatId, messageId, name, text: part.text, files, replyTo: replyTo ?? null })
  const isForBot = from.isBot !== true && (group === undefined || options.mention === true)
  if (isForBot && part.body !== null) {
    state.chats.set(chatId, group === undefined ? 'single' : 'group')
    const chat = group === undefined ? { chattype: 'single' } : { chattype: 'group', chatid: chatId }
    const replyUrl = { response_url: `${url}/cgi-bin/aibot/response?response_code=${messageId}` }
    const body = { ...chat, from: { userid: from.id }, ...replyUrl, ...part.body, ...(quote && { quote }) }
    deliverCallback(state, { kind: 'message', chatId, messageId, eventType: null }, body)
  }
  return { chatId, messageId }
}

function toParts(state: WecomState, url: string, options: SayOptions): readonly Part[] {
  const { text, file, group } = options
  const words = group !== undefined && options.mention === true ? `@${state.bot.name} ${text ?? ''}` : text
  const textPart = (): Part[] =>
    words === undefined || text === undefined
      ? []
      : [{ body: { msgtype: 'text', text: { content: words } }, text, file: null }]
  if (file === undefined) return textPart()
  if (file.kind === 'voice') {
    const body = group === undefined ? { msgtype: 'voice', voice: { content: text ?? '' } } : null
    return [{ body, text: text ?? '', file }]
  }
  const { name, bytes } = readFile(file)
  if (file.kind === 'image' && words !== undefined) {
    const image = { msgtype: 'image', image: offerDownload(state, url, name, bytes) }
    const items = [{ msgtype: 'text', text: { content: words } }, image]
    return [{ body: { msgtype: 'mixed', mixed: { msg_item: items } }, text: text ?? '', file }]
  }
  // in a group, bots only get images, and only beside a text that mentions them
  const body = group === undefined ? { msgtype: file.kind, [file.kind]: offerDownload(state, url, name, bytes) } : null
  return [{ body, text: '', file }, ...textPart()]
}

/** Returns a quote, which contains the quoted content. */
function toQuote(state: WecomState, url: string, messageId: string): Fields {
  const quoted = state.chatStore.findMessage(messageId)
  if (quoted === null) throw new RangeError('There is no message with this id')
  const [file] = quoted.files ?? []
  if (file === undefined) return { msgtype: 'text', text: { content: quoted.text } }
  const kind = /\.(?:jpe?g|png|gif|webp)$/i.test(file.name) ? 'image' : 'file'
  return { msgtype: kind, [kind]: offerDownload(state, url, file.name, file.bytes) }
}

/** Sends an event of a chat, e.g. that a person opened it. */
function raiseEvent(state: WecomState, from: string, chatId: string | undefined, event: Fields): void {
  if (state.live === null) throw new RangeError('No bot is connected')
  if (typeof event['eventtype'] !== 'string') throw new RangeError('event.eventtype must name the event')
  const place = chatId ?? from
  const chat = state.chats.get(place) === 'group' ? { chattype: 'group', chatid: place } : { chattype: 'single' }
  const body = { ...chat, from: { userid: from }, msgtype: 'event', event }
  const messageId = state.nextId('E')
  deliverCallback(state, { kind: 'event', chatId: place, messageId, eventType: event['eventtype'] }, body)
}

/** Sends a callback to the live connection. Without one it is lost: the platform doesn't queue. */
function deliverCallback(state: WecomState, about: Omit<Callback, 'connection' | 'atMs'>, fields: Fields): void {
  const { live, clock, chatStore, bot } = state
  const cmd = about.kind === 'message' ? 'aibot_msg_callback' : 'aibot_event_callback'
  const fault = state.faults.take(cmd, about.chatId, ({ kind }) => kind === 'lose' || kind === 'repeat')
  if (live === null || fault?.kind === 'lose') return
  const body = {
    msgid: about.messageId,
    create_time: Math.floor(clock.now() / 1000),
    aibotid: bot.id,
    ...fields,
  }
  const times = fault?.kind === 'repeat' ? 2 : 1
  for (let time = 0; time < times; time++) {
    const reqId = state.nextId('R')
    state.remember(reqId, { ...about, connection: live, atMs: clock.now() })
    live.socket.send(JSON.stringify({ cmd, headers: { req_id: reqId }, body }))
    chatStore.recordDelivery(about.messageId)
  }
}
