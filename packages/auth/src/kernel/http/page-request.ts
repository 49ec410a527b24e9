import { AuthError } from '../../errors.ts'
import type { Signer } from '../crypto/crypto.ts'
import type { Kernel } from '../kernel.ts'
import type { ConnectedKernel } from '../module.ts'
import type { SessionReference } from '../sessions/session.ts'
import type { AuthSettings } from '../settings/settings.ts'
import type { AuthDb, User } from '../users/user.ts'
import type { Visit, ClientKind, Site, MessageLevel } from '../visit.ts'
import { readCookie } from './cookies.ts'
import { CSRF_COOKIE, newCsrfSecret, parseCsrfSecret } from './csrf.ts'

/** What the frame has found out before a handler runs. */
export interface Arrived {
  readonly raw: Request
  readonly remoteAddress: string | null
  readonly url: URL
  readonly form: ReadonlyMap<string, string>
  readonly client: ClientKind
  /** The session of an app, which sends no cookie; `null`: it named none. */
  readonly session?: SessionReference | null
}

/** A request with what only the frame uses of it. */
export interface PageRequest extends Visit {
  readonly kernel: ConnectedKernel
  /** The secret that the visitor's forms carry; a new one when there was none or after `rotateCsrf`. */
  csrfSecret(): string
  /** Whether the cookie must be sent. */
  csrfChanged(): boolean
  readonly receivedCsrf: string | null
  readonly receivedMessages: readonly Message[]
  readonly newMessages: readonly Message[]
}

/** Loads the session, negotiates the language, and makes the object that hooks, flows and forms see. */
export async function openRequest(kernel: ConnectedKernel, arrived: Arrived): Promise<PageRequest> {
  const { raw, url, client } = arrived
  const nowMs = kernel.clock.now()
  const cookies = raw.headers.get('cookie')
  const clientIp = kernel.hooks.getClientIp(raw, arrived.remoteAddress)
  const userAgent = kernel.hooks.getHttpUserAgent(raw)
  const transactions = createTransactionRunner(kernel, {
    checkpoint: () => session.checkpoint(),
    use: (db) => void (request.db = db),
  })
  const named = arrived.session === undefined ? openCookieSession(cookies, kernel.settings) : arrived.session
  const session = await kernel.sessions.open(named, {
    nowMs,
    ip: clientIp,
    userAgent,
    db: () => request.db,
    // An app that sends it later would get 410 and have to start over.
    keepsEmpty: client === 'app',
  })
  const language = kernel.translations.negotiate(raw.headers.get('accept-language'))
  await kernel.translations.load(language)
  const request: Changing = {
    kernel,
    raw,
    method: raw.method,
    client,
    url,
    site: await loadSite(kernel, url),
    clientIp,
    userAgent,
    form: arrived.form,
    session,
    user: session.user,
    setUser: (user) => void (request.user = user),
    language,
    t: kernel.translations.translator(language),
    nowMs,
    next: null,
    absolute: (path: string) => new URL(path, url).href,
    setCookies: [],
    notes: new Map<string, unknown>(),
    receivedMessages: readMessages(readCookie(cookies, MESSAGES_COOKIE), kernel.signer, nowMs),
    db: kernel.database.db,
    ...transactions,
    ...createCsrfState(kernel, cookies),
    ...createMessageQueue(client),
  }
  findNext(kernel, arrived, request)
  return request
}

/**
 * State that changes during a request. Written, not computed: getters of an object literal are created for each object
 * and freed only by a full garbage collection.
 */
type Changing = PageRequest & { user: User | null; db: AuthDb }

/** Judged when it is asked for, by the hook of the host. */
function findNext(kernel: ConnectedKernel, { form, url }: Arrived, request: Changing): void {
  const given = form.get('next') ?? url.searchParams.get('next')
  if (given === null) return
  let isSafe: boolean | null = null
  const get = (): string | null => {
    isSafe ??= kernel.hooks.isSafeUrl(request, given)
    return isSafe ? given : null
  }
  Object.defineProperty(request, 'next', { get, enumerable: true })
}

function openCookieSession(cookies: string | null, { sessionCookieName }: AuthSettings): SessionReference | null {
  const token = readCookie(cookies, sessionCookieName)
  return token === null ? null : { kind: 'token', token }
}

async function loadSite(kernel: ConnectedKernel, url: URL): Promise<Site> {
  const { siteName, siteDomain, sitesEnabled, siteId } = kernel.settings
  if (sitesEnabled) {
    const row = await kernel.database.db
      .selectFrom('django_site')
      .select(['domain', 'name'])
      .where('id', '=', siteId)
      .executeTakeFirst()
    if (row !== undefined) return { domain: row.domain, name: row.name }
  }
  return { domain: siteDomain ?? url.host, name: siteName ?? siteDomain ?? url.host }
}

function createCsrfState(
  kernel: ConnectedKernel,
  cookies: string | null,
): Pick<PageRequest, 'csrfSecret' | 'csrfChanged' | 'rotateCsrf' | 'receivedCsrf'> {
  const receivedCsrf = parseCsrfSecret(readCookie(cookies, CSRF_COOKIE))
  let secret = receivedCsrf
  return {
    receivedCsrf,
    csrfSecret: () => (secret ??= newCsrfSecret(kernel.random)),
    csrfChanged: () => secret !== null && secret !== receivedCsrf,
    rotateCsrf() {
      secret = newCsrfSecret(kernel.random)
    },
  }
}

function createMessageQueue(client: ClientKind): Pick<PageRequest, 'addMessage' | 'newMessages'> {
  const newMessages: Message[] = []
  return {
    newMessages,
    addMessage(level, text) {
      if ((client === 'page' || client === 'xhr') && text !== '') newMessages.push({ level, text })
    },
  }
}

/**
 * Runs one transaction at a time; a request does its work sequentially.
 * @param request `checkpoint` returns the undo for in-memory state when the transaction is rolled back; `use` receives
 *   the handle to use from then on.
 */
function createTransactionRunner(
  core: Pick<Kernel, 'database'>,
  request: { checkpoint(): () => void; use(db: AuthDb): void },
): Pick<Visit, 'transaction' | 'afterCommit'> {
  let waiting: (() => void | Promise<void>)[] | null = null
  const over = (): void => {
    waiting = null
    request.use(core.database.db)
  }
  return {
    async transaction(work) {
      if (waiting !== null) return work()
      const after: (() => void | Promise<void>)[] = []
      const undo = request.checkpoint()
      try {
        const result = await core.database.transaction(async (tx) => {
          waiting = after
          request.use(tx)
          return work()
        })
        over()
        await runAll(after)
        return result
      } catch (error) {
        if (waiting !== null) undo()
        throw error
      } finally {
        over()
      }
    },
    async afterCommit(work) {
      if (waiting === null) await work()
      else waiting.push(work)
    },
  }
}

/** Runs every task, whatever becomes of the others. @throws what the first one that failed has thrown */
async function runAll(tasks: readonly (() => void | Promise<void>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const task of tasks) {
    try {
      await task()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}

/** A message for the next page. */
interface Message {
  readonly level: MessageLevel
  readonly text: string
}

/** Cookie in which messages wait for the next page, signed. */
export const MESSAGES_COOKIE = 'messages'
const SALT = 'messages'
const MAX_AGE_SECONDS = 3600
/** Of the cookie, whose whole line browsers cut at 4,096 bytes. */
const MAX_CHARACTERS = 3000

/** Reads the messages in a cookie; none if it is missing, forged or expired. */
function readMessages(cookie: string | null, signer: Signer, nowMs: number): readonly Message[] {
  if (cookie === null || cookie === '') return []
  const value = signer.unsign(cookie, SALT, { nowMs, maxAgeSeconds: MAX_AGE_SECONDS })
  return Array.isArray(value) ? value.filter(isMessage) : []
}

/** The newest that fit. */
export function writeMessages(messages: readonly Message[], signer: Signer, nowMs: number): string {
  for (let from = 0; ; from++) {
    const text = signer.sign(messages.slice(from), SALT, nowMs)
    if (text.length <= MAX_CHARACTERS || from >= messages.length) return text
  }
}

function isMessage(value: unknown): value is Message {
  return (
    typeof value === 'object' && value !== null && 'level' in value && 'text' in value && typeof value.text === 'string'
  )
}

/** How often a request is run again when its session was changed at the same time. */
export const SESSION_ATTEMPTS = 5

/** Whether the session of a request was changed by another one since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof AuthError && error.code === 'session_conflict'
