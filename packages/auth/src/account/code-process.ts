import { sameCode } from '../kernel/crypto/random.ts'
import type { Visit } from '../kernel/visit.ts'
import type { UserId } from '../kernel/users/user.ts'

/** A code that was sent and is pending, kept in the session of the visitor who requested it (2.9 of the reference). */
export interface CodeProcess {
  /** When it began, milliseconds since the Unix epoch; neither a resend nor a change moves it. */
  readonly atMs: number
  readonly failedAttempts: number
  readonly resendCount: number
  readonly changeCount: number
  readonly email: string | null
  readonly phone: string | null
  /** `null`: nobody has this address, and no code is right. */
  readonly userId: UserId | null
  /** Empty: never matched. */
  readonly code: string
  /** Extra data of this kind of process (JSON). */
  readonly data: Readonly<Record<string, unknown>>
}

/** What a new process starts with. */
export type NewCodeProcess = Pick<CodeProcess, 'email' | 'phone' | 'userId' | 'code'> &
  Partial<Pick<CodeProcess, 'data'>>

/** `last_wrong`: the tries are used up, and the process is gone. */
export type Tried = 'right' | 'wrong' | 'last_wrong'

/** The processes of one kind. */
export interface CodeProcesses {
  start(request: Visit, process: NewCodeProcess): CodeProcess
  /** `null`: none, or expired. */
  current(request: Visit): CodeProcess | null
  /**
   * Tries a code. The try is committed before the result is known, so that two requests cannot spend the same one. A
   * right code ends the process, and so counts once.
   * @param whenRight Changes the session too, in the same commit.
   * @throws {AuthError} `session_conflict`
   */
  attempt(request: Visit, process: CodeProcess, code: string, whenRight?: () => void): Promise<Tried>
  /** Writes a changed process: another code, another address, a count. */
  replace(request: Visit, process: CodeProcess): void
  drop(request: Visit): void
}

/** @param options.key Of the session entry, e.g. `account_email_verification_code`. */
export function codeProcesses(options: {
  readonly key: string
  readonly timeoutSeconds: number
  readonly maxAttempts: number
}): CodeProcesses {
  const { key } = options
  const current = (request: Visit): CodeProcess | null => {
    const stored = request.session.get(key)
    if (stored === undefined) return null
    const process = stored as CodeProcess // written by `start` and `replace` alone; the session is sealed
    if (request.nowMs - process.atMs <= options.timeoutSeconds * 1000) return process
    request.session.delete(key)
    return null
  }
  return {
    current,
    start(request, { email, phone, userId, code, data = {} }) {
      const counts = { failedAttempts: 0, resendCount: 0, changeCount: 0 }
      const process = { atMs: request.nowMs, ...counts, email, phone, userId, code, data }
      request.session.set(key, process)
      return process
    },
    async attempt(request, process, code, whenRight) {
      const right = sameCode(code, process.code) && process.userId !== null
      const failedAttempts = process.failedAttempts + (right ? 0 : 1)
      const ends = right || failedAttempts >= options.maxAttempts
      if (ends) request.session.delete(key)
      else request.session.set(key, { ...process, failedAttempts })
      if (right) whenRight?.()
      await request.session.commit()
      if (right) return 'right'
      return ends ? 'last_wrong' : 'wrong'
    },
    replace: (request, process) => request.session.set(key, process),
    drop: (request) => request.session.delete(key),
  }
}
