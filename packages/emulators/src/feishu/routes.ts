import { type FormPart, isRecord, parseJson, splitForm } from '../kit/http.ts'
import { type Answer, ok, refusal, textOf } from './answer.ts'
import type { Cards } from './cards.ts'
import type { LongConnection } from './long-connection.ts'
import { listMessages, type Messages } from './messages.ts'
import type { Registration } from './registration.ts'
import type { FeishuState } from './state.ts'
import type { Tokens } from './tokens.ts'

/** Everything that answers calls. */
export interface Parts {
  readonly state: FeishuState
  readonly tokens: Tokens
  readonly cards: Cards
  readonly messages: Messages
  readonly connection: LongConnection
  readonly registration: Registration
}

/** A call, read as far as all routes need it. */
export interface Call {
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly raw: Buffer
  readonly form: readonly FormPart[] | null
}

/** One call of the open platform. */
export interface Route {
  /** As it stands in `requests` and in faults. */
  readonly method: string
  readonly verb: string
  /** Below the host; a `:` takes one segment. */
  readonly path: string
  /** One of them is needed. Empty: only the token. Absent: open to everybody. */
  readonly scopes?: readonly string[]
  run(parts: Parts, call: Call): Answer
}

const SEND = ['im:message', 'im:message:send_as_bot']
const READ = ['im:message', 'im:message:readonly']
const REACT = ['im:message', 'im:message.reactions:write_only']
const UPLOAD = ['im:resource', 'im:resource:upload']
const CARD = ['cardkit:card:write']
const MESSAGES = '/open-apis/im/v1/messages'
const CARDS = '/open-apis/cardkit/v1/cards'

const id = ({ ids }: Call, index = 0): string => ids[index] ?? ''

const IM: readonly Route[] = [
  {
    method: 'im.v1.messages.create',
    verb: 'POST',
    path: MESSAGES,
    scopes: SEND,
    run: ({ messages }, call) => messages.create(call.query, call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.list',
    verb: 'GET',
    path: MESSAGES,
    scopes: [...READ, 'im:message.history:readonly'],
    run: ({ state }, { query }) => listMessages(state, query),
  },
  {
    method: 'im.v1.messages.reply',
    verb: 'POST',
    path: `${MESSAGES}/:/reply`,
    scopes: SEND,
    run: ({ messages }, call) => messages.reply(id(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.update',
    verb: 'PUT',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:update'],
    run: ({ messages }, call) => messages.update(id(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.patch',
    verb: 'PATCH',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:update'],
    run: ({ messages }, call) => messages.patch(id(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.delete',
    verb: 'DELETE',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:recall'],
    run: ({ messages }, call) => messages.recall(id(call)),
  },
  {
    method: 'im.v1.messages.get',
    verb: 'GET',
    path: `${MESSAGES}/:`,
    scopes: READ,
    run: ({ messages }, call) => messages.get(id(call)),
  },
  {
    method: 'im.v1.reactions.create',
    verb: 'POST',
    path: `${MESSAGES}/:/reactions`,
    scopes: REACT,
    run: ({ messages }, call) => messages.react(id(call), call.body),
  },
  {
    method: 'im.v1.reactions.delete',
    verb: 'DELETE',
    path: `${MESSAGES}/:/reactions/:`,
    scopes: REACT,
    run: ({ messages }, call) => messages.unreact(id(call), id(call, 1)),
  },
  {
    method: 'im.v1.resources.get',
    verb: 'GET',
    path: `${MESSAGES}/:/resources/:`,
    scopes: READ,
    run: ({ state }, call) => download(state, id(call), id(call, 1), call.query.get('type')),
  },
  {
    method: 'im.v1.images.create',
    verb: 'POST',
    path: '/open-apis/im/v1/images',
    scopes: UPLOAD,
    run: ({ state }, { form }) => uploadImage(state, form),
  },
  {
    method: 'im.v1.files.create',
    verb: 'POST',
    path: '/open-apis/im/v1/files',
    scopes: UPLOAD,
    run: ({ state }, { form }) => uploadFile(state, form),
  },
]

const CARDKIT: readonly Route[] = [
  {
    method: 'cardkit.v1.cards.create',
    verb: 'POST',
    path: CARDS,
    scopes: CARD,
    run: ({ cards }, { body }) => cards.create(body),
  },
  {
    method: 'cardkit.v1.cards.id_convert',
    verb: 'POST',
    path: `${CARDS}/id_convert`,
    scopes: ['cardkit:card:read'],
    run: ({ cards }, { body }) => cards.convert(textOf(body['message_id'])),
  },
  {
    method: 'cardkit.v1.cards.update',
    verb: 'PUT',
    path: `${CARDS}/:`,
    scopes: CARD,
    run: ({ cards }, call) => cards.update(id(call), call.body),
  },
  {
    method: 'cardkit.v1.cards.settings',
    verb: 'PATCH',
    path: `${CARDS}/:/settings`,
    scopes: CARD,
    run: ({ cards }, call) => cards.settings(id(call), call.body),
  },
  {
    method: 'cardkit.v1.elements.content',
    verb: 'PUT',
    path: `${CARDS}/:/elements/:/content`,
    scopes: CARD,
    run: ({ cards }, call) => cards.stream(id(call), id(call, 1), call.body),
  },
]

/** All calls that are answered. */
const ROUTES: readonly Route[] = [
  {
    method: 'ws.endpoint',
    verb: 'POST',
    path: '/callback/ws/endpoint',
    run: ({ connection }, { body }) => connection.discover(body),
  },
  {
    method: 'auth.v3.tenant_access_token',
    verb: 'POST',
    path: '/open-apis/auth/v3/tenant_access_token/internal',
    run: ({ tokens }, { body }) => tokens.issue(body),
  },
  {
    method: 'registration',
    verb: 'POST',
    path: '/oauth/v1/app/registration',
    run: ({ registration }, { raw }) => registration.answer(new URLSearchParams(raw.toString('utf8'))),
  },
  {
    method: 'bot.v3.info',
    verb: 'GET',
    path: '/open-apis/bot/v3/info',
    scopes: [],
    run: ({ state }) => botInfo(state),
  },
  {
    method: 'application.v6.scopes',
    verb: 'GET',
    path: '/open-apis/application/v6/scopes',
    scopes: [],
    run: ({ state }) => {
      const scopes = state.scopes().map((scope) => ({
        scope_name: scope,
        grant_status: state.granted(scope) ? 1 : 2,
        scope_type: 'tenant',
      }))
      return ok({ scopes })
    },
  },
  {
    method: 'event.v1.connection',
    verb: 'GET',
    path: '/open-apis/event/v1/connection',
    scopes: [],
    run: ({ connection }) => ok({ online_instance_cnt: connection.count }),
  },
  ...IM,
  ...CARDKIT,
]

/** The route of a request, and what its path names. */
export function findRoute(
  verb: string,
  path: string,
): { readonly route: Route; readonly ids: readonly string[] } | null {
  const segments = path.split('/')
  for (const route of ROUTES) {
    const pattern = route.path.split('/')
    if (route.verb !== verb || pattern.length !== segments.length) continue
    if (!pattern.every((part, index) => part === ':' || part === segments[index])) continue
    return { route, ids: segments.filter((_, index) => pattern[index] === ':') }
  }
  return null
}

/** Reads a request: a form, or JSON where it is a JSON object. */
export function readCall(raw: Buffer, contentType: string, query: URLSearchParams, ids: readonly string[]): Call {
  const form = contentType.startsWith('multipart/') ? splitForm(raw, contentType) : null
  const json = form === null ? parseJson(raw.toString('utf8')) : null
  return { ids, query, body: isRecord(json) ? json : {}, raw, form }
}

function botInfo(state: FeishuState): Answer {
  const bot = {
    activate_status: state.activateStatus(),
    app_name: state.bot.name,
    avatar_url: '',
    ip_white_list: [],
    open_id: state.bot.openId,
  }
  return { status: 200, body: { code: 0, msg: 'ok', bot } }
}

const MEBIBYTE = 1024 * 1024
const IMAGE_BYTES = 10 * MEBIBYTE
const FILE_BYTES = 30 * MEBIBYTE
const DOWNLOAD_BYTES = 100 * MEBIBYTE
const FILE_TYPES = ['opus', 'mp4', 'pdf', 'doc', 'xls', 'ppt', 'stream']

/** Answers an upload of a picture. */
function uploadImage(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const image = form?.find(({ name }) => name === 'image')
  const type = field(form, 'image_type')
  if (!image || !['message', 'avatar'].includes(type)) return refusal(234001)
  const refused = sizeRefusal(image, IMAGE_BYTES)
  if (refused) return refused
  return ok({ image_key: state.keepFile('img_v3_', type, image.fileName ?? 'image', image.mimeType, image.bytes) })
}

/** Answers an upload of a file. */
function uploadFile(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const file = form?.find(({ name }) => name === 'file')
  const [type, name] = [field(form, 'file_type'), field(form, 'file_name')]
  if (!file || name === '' || !FILE_TYPES.includes(type)) return refusal(234001)
  const refused = sizeRefusal(file, FILE_BYTES)
  if (refused) return refused
  return ok({ file_key: state.keepFile('file_v3_', type, name, file.mimeType, file.bytes) })
}

/** Answers the download of a file out of a message. */
function download(state: FeishuState, messageId: string, key: string, type: string | null): Answer {
  const message = state.messages.get(messageId)
  const file = state.file(key)
  if (type !== 'image' && type !== 'file') return refusal(234001)
  if (!message || message.deleted || !file || !message.fileKeys.includes(key)) return refusal(234003)
  if ((type === 'image') !== key.startsWith('img_')) return refusal(234003)
  if (file.bytes.length > DOWNLOAD_BYTES) return refusal(234006)
  const headers = {
    'content-type': file.mimeType === '' ? 'application/octet-stream' : file.mimeType,
    'content-disposition': `attachment; filename="${encodeURIComponent(file.name)}"`,
  }
  return { status: 200, body: file.bytes, headers }
}

const sizeRefusal = ({ bytes }: FormPart, most: number): Answer | null =>
  bytes.length === 0 ? refusal(234010) : bytes.length > most ? refusal(234006) : null

const field = (form: readonly FormPart[] | null, name: string): string => {
  const part = form?.find((one) => one.name === name && one.fileName === null)
  return part ? Buffer.from(part.bytes).toString('utf8') : ''
}
