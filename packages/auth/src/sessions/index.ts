// Types of the list of sessions for hosts: its hooks and services.
export type { UserSession, UserSessions, UserSessionsAdapter, UserSessionsAdapterInput } from './user-session.ts'
