import { type FormPart, isRecord, parseJson, splitForm } from '../kit/http.ts'
import { type Answer, success, apiError, toText } from './answer.ts'
import type { Cards } from './cards.ts'
import type { LongConnection } from './long-connection.ts'
import { listMessages, type Messages } from './messages.ts'
import type { Registration } from './registration.ts'
import type { FeishuState } from './state.ts'
import type { Tokens } from './tokens.ts'

/** The services behind the routes. */
export interface Services {
  readonly state: FeishuState
  readonly tokens: Tokens
  readonly cards: Cards
  readonly messages: Messages
  readonly connection: LongConnection
  readonly registration: Registration
}

/** A parsed call. */
export interface Call {
  readonly ids: readonly string[]
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly raw: Buffer
  readonly form: readonly FormPart[] | null
}

/** A route of the open platform. */
export interface Route {
  /** Its name in `requests` and faults. */
  readonly method: string
  readonly verb: string
  /** Path; `:` matches one segment. */
  readonly path: string
  /** One of these is required. Empty: any valid token. Absent: no token needed. */
  readonly scopes?: readonly string[]
  /** Performs the call. */
  run(parts: Services, call: Call): Answer
}

const SEND = ['im:message', 'im:message:send_as_bot']
const READ = ['im:message', 'im:message:readonly']
const REACT = ['im:message', 'im:message.reactions:write_only']
const UPLOAD = ['im:resource', 'im:resource:upload']
const CARD = ['cardkit:card:write']
const MESSAGES = '/open-apis/im/v1/messages'
const CARDS = '/open-apis/cardkit/v1/cards'

const getId = ({ ids }: Call, index = 0): string => ids[index] ?? ''

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
    run: ({ messages }, call) => messages.reply(getId(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.update',
    verb: 'PUT',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:update'],
    run: ({ messages }, call) => messages.update(getId(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.patch',
    verb: 'PATCH',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:update'],
    run: ({ messages }, call) => messages.patch(getId(call), call.body, call.raw.length),
  },
  {
    method: 'im.v1.messages.delete',
    verb: 'DELETE',
    path: `${MESSAGES}/:`,
    scopes: [...SEND, 'im:message:recall'],
    run: ({ messages }, call) => messages.recall(getId(call)),
  },
  {
    method: 'im.v1.messages.get',
    verb: 'GET',
    path: `${MESSAGES}/:`,
    scopes: READ,
    run: ({ messages }, call) => messages.get(getId(call)),
  },
  {
    method: 'im.v1.reactions.create',
    verb: 'POST',
    path: `${MESSAGES}/:/reactions`,
    scopes: REACT,
    run: ({ messages }, call) => messages.react(getId(call), call.body),
  },
  {
    method: 'im.v1.reactions.delete',
    verb: 'DELETE',
    path: `${MESSAGES}/:/reactions/:`,
    scopes: REACT,
    run: ({ messages }, call) => messages.unreact(getId(call), getId(call, 1)),
  },
  {
    method: 'im.v1.resources.get',
    verb: 'GET',
    path: `${MESSAGES}/:/resources/:`,
    scopes: READ,
    run: ({ state }, call) => downloadFile(state, getId(call), getId(call, 1), call.query.get('type')),
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
    run: ({ cards }, { body }) => cards.convert(toText(body['message_id'])),
  },
  {
    method: 'cardkit.v1.cards.update',
    verb: 'PUT',
    path: `${CARDS}/:`,
    scopes: CARD,
    run: ({ cards }, call) => cards.update(getId(call), call.body),
  },
  {
    method: 'cardkit.v1.cards.settings',
    verb: 'PATCH',
    path: `${CARDS}/:/settings`,
    scopes: CARD,
    run: ({ cards }, call) => cards.settings(getId(call), call.body),
  },
  {
    method: 'cardkit.v1.elements.content',
    verb: 'PUT',
    path: `${CARDS}/:/elements/:/content`,
    scopes: CARD,
    run: ({ cards }, call) => cards.stream(getId(call), getId(call, 1), call.body),
  },
]

/** All routes. */
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
    run: ({ state }) => getBotInfo(state),
  },
  {
    method: 'application.v6.scopes',
    verb: 'GET',
    path: '/open-apis/application/v6/scopes',
    scopes: [],
    run: ({ state }) => {
      const scopes = state.scopes().map((scope) => ({
        scope_name: scope,
        grant_status: state.isGranted(scope) ? 1 : 2,
        scope_type: 'tenant',
      }))
      return success({ scopes })
    },
  },
  {
    method: 'event.v1.connection',
    verb: 'GET',
    path: '/open-apis/event/v1/connection',
    scopes: [],
    run: ({ connection }) => success({ online_instance_cnt: connection.count }),
  },
  ...IM,
  ...CARDKIT,
]

/** Returns the route of a request and the ids in its path, or `null`. */
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

/** Parses a request: a form, or a JSON object. */
export function readCall(raw: Buffer, contentType: string, query: URLSearchParams, ids: readonly string[]): Call {
  const form = contentType.startsWith('multipart/') ? splitForm(raw, contentType) : null
  const json = form === null ? parseJson(raw.toString('utf8')) : null
  return { ids, query, body: isRecord(json) ? json : {}, raw, form }
}

function getBotInfo(state: FeishuState): Answer {
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

/** Handles an image upload. */
function uploadImage(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const image = form?.find(({ name }) => name === 'image')
  const type = getField(form, 'image_type')
  if (!image || !['message', 'avatar'].includes(type)) return apiError(234001)
  const refused = checkSize(image, IMAGE_BYTES)
  if (refused) return refused
  return success({
    image_key: state.storeFile('img_v3_', type, image.fileName ?? 'image', image.mimeType, image.bytes),
  })
}

/** Handles a file upload. */
function uploadFile(state: FeishuState, form: readonly FormPart[] | null): Answer {
  const file = form?.find(({ name }) => name === 'file')
  const [type, name] = [getField(form, 'file_type'), getField(form, 'file_name')]
  if (!file || name === '' || !FILE_TYPES.includes(type)) return apiError(234001)
  const refused = checkSize(file, FILE_BYTES)
  if (refused) return refused
  return success({ file_key: state.storeFile('file_v3_', type, name, file.mimeType, file.bytes) })
}

/** Handles the download of a message's file. */
function downloadFile(state: FeishuState, messageId: string, key: string, type: string | null): Answer {
  const message = state.messages.get(messageId)
  const file = state.file(key)
  if (type !== 'image' && type !== 'file') return apiError(234001)
  if (!message || message.deleted || !file || !message.fileKeys.includes(key)) return apiError(234003)
  if ((type === 'image') !== key.startsWith('img_')) return apiError(234003)
  if (file.bytes.length > DOWNLOAD_BYTES) return apiError(234006)
  const headers = {
    'content-type': file.mimeType === '' ? 'application/octet-stream' : file.mimeType,
    'content-disposition': `attachment; filename="${encodeURIComponent(file.name)}"`,
  }
  return { status: 200, body: file.bytes, headers }
}

const checkSize = ({ bytes }: FormPart, most: number): Answer | null =>
  bytes.length === 0 ? apiError(234010) : bytes.length > most ? apiError(234006) : null

const getField = (form: readonly FormPart[] | null, name: string): string => {
  const part = form?.find((one) => one.name === name && one.fileName === null)
  return part ? Buffer.from(part.bytes).toString('utf8') : ''
}
