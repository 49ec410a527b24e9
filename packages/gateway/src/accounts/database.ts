import type { Database } from '@gatepost/sql'
import type { GatewayTables } from './tables.ts'

/** The database or the transaction under way. */
export type GatewayDb = Database<GatewayTables>['db']
