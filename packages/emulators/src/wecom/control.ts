import type { PlatformControl, ScanAct, Said, SaidFile, SayOptions } from '../kit/control.ts'
import type { EmulatorServer } from '../kit/server.ts'
import { WECOM_KINDS, WECOM_SWITCHES, type WecomFault } from './faults.ts'
import { kick } from './frames.ts'
import { offer, readFile } from './media.ts'
import type { WecomState, Callback } from './state.ts'

/** What a test or the demo page can do. */
export const createControl = (state: WecomState, server: EmulatorServer): PlatformControl<WecomFault> => ({
  ...state.world.operations(),
  bot: async () => ({
    id: state.bot.id,
    name: state.bot.name,
    connected: state.live !== null,
    setup: waiting(state),
    credentials: { bot_id: state.bot.id, secret: state.bot.secret },
  }),
  say: async (options) => say(state, server.url, options),
  injectFault: async (fault) => {
    if (!Object.hasOwn(WECOM_KINDS, fault.kind)) throw new RangeError(`There is no fault ${String(fault.kind)}`)
    // what happens at once is no fault that waits: its id clears nothing
    if (fault.kind === 'kick') kick(state)
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

function waiting({ qr, clock }: WecomState): 'waiting' | 'scanned' | null {
  if (qr === null || qr.untilMs <= clock.now()) return null
  return qr.status === 'init' ? 'waiting' : qr.status === 'scanned' ? 'scanned' : null
}

function scan(state: WecomState, { act }: ScanAct): void {
  const { qr } = state
  if (qr === null) throw new RangeError('No QR code has been asked for')
  if (qr.untilMs <= state.clock.now()) qr.status = 'expired'
  if (qr.status !== 'init' && qr.status !== 'scanned') throw new RangeError('The QR code is used up')
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
      throw new RangeError(`WeCom knows no ${act}`)
  }
}

type Fields = Readonly<Record<string, unknown>>

interface Part {
  /** `msgtype` and the member of that name; `null`: the platform does not hand this to bots. */
  readonly body: Fields | null
  readonly text: string
  readonly file: SaidFile | null
}

/** A person writes. A text beside a file that can have none is a message of its own. */
function say(state: WecomState, url: string, options: SayOptions): Said {
  const { from, group, replyTo } = options
  if (typeof from?.id !== 'string' || from.id === '') throw new RangeError('from.id is the id of a person')
  if (group !== undefined && typeof group.id !== 'string') throw new RangeError('group.id is the id of a group')
  if (options.text !== undefined && typeof options.text !== 'string') throw new RangeError('text is text')
  const chatId = group?.id ?? from.id
  const quote = replyTo === undefined ? null : quoteOf(state, url, replyTo)
  const [first, second] = partsOf(state, url, options)
  if (first === undefined) throw new RangeError('A message has a text or a file')
  const said = utter(state, url, options, chatId, first, quote)
  if (second !== undefined) utter(state, url, options, chatId, second, null)
  return said
}

function utter(
  state: WecomState,
  url: string,
  options: SayOptions,
  chatId: string,
  part: Part,
  quote: Fields | null,
): Said {
  const { from, group, replyTo } = options
  const messageId = state.nextId('M')
  const files = part.file === null ? [] : [readFile(part.file)]
  const name = from.name ?? from.id
  state.world.heard({ chatId, messageId, name, text: part.text, files, replyTo: replyTo ?? null })
  const isForBot = from.isBot !== true && (group === undefined || options.mention === true)
  if (isForBot && part.body !== null) {
    state.chats.set(chatId, group === undefined ? 'single' : 'group')
    const chat = group === undefined ? { chattype: 'single' } : { chattype: 'group', chatid: chatId }
    const answerAt = { response_url: `${url}/cgi-bin/aibot/response?response_code=${messageId}` }
    const body = { ...chat, from: { userid: from.id }, ...answerAt, ...part.body, ...(quote && { quote }) }
    deliver(state, { kind: 'message', chatId, messageId, eventType: null }, body)
  }
  return { chatId, messageId }
}

function partsOf(state: WecomState, url: string, options: SayOptions): readonly Part[] {
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
    const image = { msgtype: 'image', image: offer(state, url, name, bytes) }
    const items = [{ msgtype: 'text', text: { content: words } }, image]
    return [{ body: { msgtype: 'mixed', mixed: { msg_item: items } }, text: text ?? '', file }]
  }
  // in a group only pictures reach a bot, and only beside a text that mentions it
  const body = group === undefined ? { msgtype: file.kind, [file.kind]: offer(state, url, name, bytes) } : null
  return [{ body, text: '', file }, ...textPart()]
}

/** A quote holds the quoted content itself. */
function quoteOf(state: WecomState, url: string, messageId: string): Fields {
  const quoted = state.world.find(messageId)
  if (quoted === null) throw new RangeError('There is no message of this id')
  const [file] = quoted.files ?? []
  if (file === undefined) return { msgtype: 'text', text: { content: quoted.text } }
  const kind = /\.(?:jpe?g|png|gif|webp)$/i.test(file.name) ? 'image' : 'file'
  return { msgtype: kind, [kind]: offer(state, url, file.name, file.bytes) }
}

/** An event in a chat, e.g. that somebody has opened it. */
function raiseEvent(state: WecomState, from: string, chatId: string | undefined, event: Fields): void {
  if (state.live === null) throw new RangeError('No connection is subscribed')
  if (typeof event['eventtype'] !== 'string') throw new RangeError('event.eventtype names the event')
  const place = chatId ?? from
  const chat = state.chats.get(place) === 'group' ? { chattype: 'group', chatid: place } : { chattype: 'single' }
  const body = { ...chat, from: { userid: from }, msgtype: 'event', event }
  const messageId = state.nextId('E')
  deliver(state, { kind: 'event', chatId: place, messageId, eventType: event['eventtype'] }, body)
}

/** Hands a callback to the live connection; without one it is lost, for the platform keeps nothing. */
function deliver(state: WecomState, about: Omit<Callback, 'connection' | 'atMs'>, fields: Fields): void {
  const { live, clock, world, bot } = state
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
    world.delivered(about.messageId)
  }
}
