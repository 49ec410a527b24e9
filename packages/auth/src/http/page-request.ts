import type { Core } from '../core.ts'
import type { AuthRequest, ClientKind, Site } from '../request.ts'
import type { OpenSession } from '../sessions/session.ts'
import type { AuthDb, User } from '../users/user.ts'
import { cookieOf } from './cookies.ts'
import { CSRF_COOKIE, csrfSecretOf, newCsrfSecret } from './csrf.ts'
import { MESSAGES_COOKIE, type Message, readMessages } from './messages.ts'

/** What the frame has found out before a handler runs. */
export interface Arrived {
  readonly raw: Request
  readonly remoteAddress: string | null
  readonly url: URL
  readonly form: ReadonlyMap<string, string>
  readonly client: ClientKind
}

/** A request with what only the frame uses of it. */
export interface PageRequest extends AuthRequest {
  /** The secret that the visitor's forms carry; a new one when there was none or after `rotateCsrf`. */
  csrfSecret(): string
  /** Whether the cookie must be sent. */
  csrfChanged(): boolean
  readonly receivedCsrf: string | null
  readonly receivedMessages: readonly Message[]
  readonly newMessages: readonly Message[]
}

/** Loads the session, negotiates the language, and makes the object that hooks, flows and forms see. */
export async function openRequest(core: Core, arrived: Arrived): Promise<PageRequest> {
  const { raw, url, client } = arrived
  const { settings } = core
  const nowMs = core.clock.now()
  const cookies = raw.headers.get('cookie')
  const clientIp = core.adapter.getClientIp(raw, arrived.remoteAddress)
  const userAgent = core.adapter.getHttpUserAgent(raw)
  const transactions = transactionOf(core, () => session.checkpoint())
  const session = await core.sessions.open(cookieOf(cookies, settings.sessionCookieName), {
    nowMs,
    ip: clientIp,
    userAgent,
    db: () => transactions.db,
  })
  const language = core.translations.negotiate(raw.headers.get('accept-language'))
  await core.translations.load(language)
  const base = {
    raw,
    method: raw.method,
    client,
    url,
    site: await siteOf(core, url),
    clientIp,
    userAgent,
    form: arrived.form,
    session,
    language,
    t: core.translations.translator(language),
    nowMs,
    absolute: (path: string) => new URL(path, url).href,
    setCookies: [],
    notes: new Map<string, unknown>(),
    receivedMessages: readMessages(cookieOf(cookies, MESSAGES_COOKIE), core.signer, nowMs),
  }
  const request: PageRequest = joined(
    joined(joined(joined(joined(base, userOf(session)), csrfOf(core, cookies)), transactions), messagesOf(client)),
    nextOf(core, arrived, () => request),
  )
  return request
}

/** As `Object.assign`, but getters stay getters. */
const joined = <A extends object, B extends object>(first: A, second: B): A & B =>
  Object.defineProperties(first, Object.getOwnPropertyDescriptors(second)) as A & B // what the two hold

/** Judged when it is asked for, by the hook of the host. */
function nextOf(core: Core, { form, url }: Arrived, request: () => AuthRequest): Pick<AuthRequest, 'next'> {
  const given = form.get('next') ?? url.searchParams.get('next')
  let isSafe: boolean | null = null
  return {
    get next() {
      return given !== null && (isSafe ??= core.adapter.isSafeUrl(request(), given)) ? given : null
    },
  }
}

async function siteOf(core: Core, url: URL): Promise<Site> {
  const { siteName, siteDomain, sitesEnabled, siteId } = core.settings
  if (sitesEnabled) {
    const row = await core.database.db
      .selectFrom('django_site')
      .select(['domain', 'name'])
      .where('id', '=', siteId)
      .executeTakeFirst()
    if (row !== undefined) return { domain: row.domain, name: row.name }
  }
  return { domain: siteDomain ?? url.host, name: siteName ?? siteDomain ?? url.host }
}

function userOf(session: OpenSession): Pick<AuthRequest, 'user' | 'setUser'> {
  let user: User | null = session.user
  return {
    get user() {
      return user
    },
    setUser(changed) {
      user = changed
    },
  }
}

function csrfOf(
  core: Core,
  cookies: string | null,
): Pick<PageRequest, 'csrfSecret' | 'csrfChanged' | 'rotateCsrf' | 'receivedCsrf'> {
  const receivedCsrf = csrfSecretOf(cookieOf(cookies, CSRF_COOKIE))
  let secret = receivedCsrf
  return {
    receivedCsrf,
    csrfSecret: () => (secret ??= newCsrfSecret(core.random)),
    csrfChanged: () => secret !== null && secret !== receivedCsrf,
    rotateCsrf() {
      secret = newCsrfSecret(core.random)
    },
  }
}

function messagesOf(client: ClientKind): Pick<PageRequest, 'addMessage' | 'newMessages'> {
  const newMessages: Message[] = []
  return {
    newMessages,
    addMessage(level, text) {
      if ((client === 'page' || client === 'xhr') && text !== '') newMessages.push({ level, text })
    },
  }
}

/**
 * One transaction at a time: what a request does, it does one after the other.
 * @param checkpoint Answers what undoes what is not in the database, when the transaction is rolled back.
 */
function transactionOf(
  core: Pick<Core, 'database'>,
  checkpoint: () => () => void,
): Pick<AuthRequest, 'db' | 'transaction' | 'afterCommit'> {
  let under: { readonly db: AuthDb; readonly after: (() => void | Promise<void>)[] } | null = null
  return {
    get db() {
      return under?.db ?? core.database.db
    },
    async transaction(work) {
      if (under !== null) return work()
      const after: (() => void | Promise<void>)[] = []
      const undo = checkpoint()
      try {
        const result = await core.database.transaction(async (tx) => {
          under = { db: tx, after }
          return work()
        })
        under = null
        await runAll(after)
        return result
      } catch (error) {
        if (under !== null) undo()
        throw error
      } finally {
        under = null
      }
    },
    async afterCommit(work) {
      if (under === null) await work()
      else under.after.push(work)
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
