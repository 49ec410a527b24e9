import type { Account } from '../../../api/gateway-api.ts'

/** The account of the owner token, which staff do not change. */
export const OWNER_ACCOUNT = 'owner'

/** What an account is called: its person, else its id. */
export const nameOf = ({ id, user }: Account): string => user?.name || user?.email || id
