import type { Account } from '../../../api/gateway-api.ts'

/** ID of the owner token's account, which staff can't change. */
export const OWNER_ACCOUNT = 'owner'

/** Returns the person's name or email address, or else the account ID. */
export const accountName = ({ id, user }: Account): string => user?.name || user?.email || id
