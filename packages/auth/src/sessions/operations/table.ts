import { defineOperations } from '../../kernel/operations/declaration.ts'

const SESSIONS = { path: 'auth/sessions', access: 'auth', tag: 'Sessions' } as const

/** The operations on a user's sessions. */
export const SESSION_OPERATIONS = defineOperations({
  listSessions: {
    ...SESSIONS,
    method: 'GET',
    summary: 'List your sessions',
    answers: { 200: 'Sessions' },
  },
  endSessions: {
    ...SESSIONS,
    method: 'DELETE',
    summary: 'End sessions',
    input: [{ name: 'sessions', kind: 'ids', required: true, about: 'IDs from the list.', errors: ['invalid_choice'] }],
    example: { sessions: [12, 15] },
    answers: { 200: 'Sessions' },
  },
})
