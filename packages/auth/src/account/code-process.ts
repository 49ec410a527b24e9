import { sameCode } from '../kernel/crypto/random.ts'
import type { Visit } from '../kernel/visit.ts'
import type { UserId } from '../kernel/users/user.ts'

/** A code that was sent and is pending, kept in the session of the visitor who requested it (2.9 of the reference). */
export interface CodeProcess {
  /** Start time, milliseconds since the Unix epoch. Resends and changes don't extend it. */
  readonly atMs: number
  readonly failedAttempts: number
  readonly resendCount: number
  readonly changeCount: number
  readonly email: string | null
  readonly phone: string | null
  /** `null` if the visitor must not learn that the address is unknown or in use; every code is then wrong. */
  readonly userId: UserId | null
  /** If empty, every code is wrong. */
  readonly code: string
  /** Extra data of this kind of process (JSON). */
  readonly data: Readonly<Record<string, unknown>>
}

/** Initial values of a process. */
export type NewCodeProcess = Pick<CodeProcess, 'email' | 'phone' | 'userId' | 'code'> &
  Partial<Pick<CodeProcess, 'data'>>

/** Result of an attempt. `last_wrong` means that no attempts are left and the process has ended. */
export type AttemptResult = 'right' | 'wrong' | 'last_wrong'

/** Manages the processes of one kind, at most one per session. */
export interface CodeProcesses {
  start(request: Visit, process: NewCodeProcess): CodeProcess
  /** Returns the pending process, or `null` if it's missing or expired. */
  current(request: Visit): CodeProcess | null
  /**
   * Checks a code. The attempt is committed before the result is returned, so that two requests can't use the same one.
   * A correct code ends the process, so it works only once.
   * @param whenRight Called for a correct code, to change the session in the same commit.
   * @throws {AuthError} `session_conflict`
   */
  attempt(request: Visit, process: CodeProcess, code: string, whenRight?: () => void): Promise<AttemptResult>
  /** Stores a changed process, such as one with a new code, address, or count. */
  replace(request: Visit, process: CodeProcess): void
  drop(request: Visit): void
}

/** Creates the processes of one kind. @param options.key Session entry, e.g. `account_email_verification_code`. */
export function codeProcesses(options: {
  readonly key: string
  readonly timeoutSeconds: number
  readonly maxAttempts: number
}): CodeProcesses {
  const { key } = options
  const current = (request: Visit): CodeProcess | null => {
    const stored = request.session.get(key)
    if (stored === undefined) return null
    const process = stored as CodeProcess // written only by `start`, `attempt` and `replace`; the session is sealed
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
