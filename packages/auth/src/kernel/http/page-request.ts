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

/** A request as received, before its session is loaded. */
export interface Arrived {
  readonly raw: Request
  readonly remoteAddress: string | null
  readonly url: URL
  readonly form: ReadonlyMap<string, string>
  readonly client: ClientKind
  /** The session that an app named, since apps send no cookie; `null` if it named none. */
  readonly session?: SessionReference | null
}

/** A visit with the members that only the dispatcher uses. */
export interface PageRequest extends Visit {
  readonly kernel: ConnectedKernel
  /** Returns the visitor's CSRF secret: the received one, or a new one if none was received or after `rotateCsrf`. */
  csrfSecret(): string
  /** Returns whether the CSRF cookie must be sent. */
  csrfChanged(): boolean
  readonly receivedCsrf: string | null
  readonly receivedMessages: readonly Message[]
  readonly newMessages: readonly Message[]
}

/** Loads the session, negotiates the language, and creates the visit for handlers, hooks, flows, and forms. */
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
    // If its token stopped working, an app would get 410 and have to start over.
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
  defineNext(kernel, arrived, request)
  return request
}

/**
 * State that changes during a request. Assigned rather than computed by getters, because the getters of an object
 * literal are created for each object and freed only by a full garbage collection.
 */
type Changing = PageRequest & { user: User | null; db: AuthDb }

/** Defines `next`, which is checked by the `isSafeUrl` hook when it's first read. */
function defineNext(kernel: ConnectedKernel, { form, url }: Arrived, request: Changing): void {
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
 * Creates `transaction` and `afterCommit` for a request, which runs at most one transaction at a time.
 * @param request `checkpoint` returns a function that restores the in-memory state after a rollback; `use` receives the
 *   database handle to use from then on.
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

/** Runs every task, even if others fail. @throws the first task error */
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

/** The signed cookie that keeps messages for the next page. */
export const MESSAGES_COOKIE = 'messages'
const SALT = 'messages'
const MAX_AGE_SECONDS = 3600
/** Maximum length of the cookie's value; browsers limit the whole cookie to 4,096 bytes. */
const MAX_CHARACTERS = 3000

/** Reads the messages in a cookie; none if it's missing, forged, or expired. */
function readMessages(cookie: string | null, signer: Signer, nowMs: number): readonly Message[] {
  if (cookie === null || cookie === '') return []
  const value = signer.unsign(cookie, SALT, { nowMs, maxAgeSeconds: MAX_AGE_SECONDS })
  return Array.isArray(value) ? value.filter(isMessage) : []
}

/** Returns the cookie's value with the newest messages that fit. */
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

/** How many times a request is tried if other requests change its session meanwhile. */
export const SESSION_ATTEMPTS = 5

/** Returns whether an error means that another request changed the session after this one read it. */
export const isConflict = (error: unknown): boolean => error instanceof AuthError && error.code === 'session_conflict'
