import { AuthError } from '../../errors.ts'

/** How often a request is run again when its session was changed at the same time. */
export const SESSION_ATTEMPTS = 5

/** Whether the session of a request was changed by another one since it was read. */
export const isConflict = (error: unknown): boolean => error instanceof AuthError && error.code === 'session_conflict'
