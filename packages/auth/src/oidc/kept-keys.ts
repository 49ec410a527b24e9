import type { Kernel } from '../kernel/kernel.ts'
import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { lockName } from '../kernel/schema/in-transaction.sql.ts'

const KIND = 'oidc-keys'
const ID = 'signing'
const BITS = 2048
const FOREVER_MS = 100 * 365 * 86_400_000
/** How long other processes may sign with the key before, and how long answers with the keys are kept outside. */
const MARGIN_MS = 3_600_000

/** One key of the database. */
export interface KeptKey {
  readonly pem: string
  /** Until when it is published; `null`: it signs. */
  readonly untilMs: number | null
}

/** Keys in the database, sealed, for all processes. */
export interface KeptKeys {
  /** Those that are not over, the one that signs first; it is made when there is none. */
  load(): Promise<readonly KeptKey[]>
  /** @param lifeMs Of what the present key has signed a moment ago. */
  rotate(lifeMs: number): Promise<void>
}

/** Of the store of what is kept a while. */
export function keptKeys({ artifacts, clock, database }: Pick<Kernel, 'artifacts' | 'database' | 'clock'>): KeptKeys {
  const kept = async (db = database.db): Promise<readonly KeptKey[]> =>
    keptOf(await artifacts.get(db, KIND, ID, clock.now()))
  const written = (keys: readonly KeptKey[]) => ({ payload: keys, expiresAtMs: clock.now() + FOREVER_MS })
  const load = async (): Promise<readonly KeptKey[]> => {
    const before = await kept()
    if (before.length > 0) return before.filter(({ untilMs }) => untilMs === null || untilMs > clock.now())
    const made: readonly KeptKey[] = [{ pem: await newPem(), untilMs: null }]
    if (await artifacts.add(database.db, KIND, ID, written(made), clock.now())) return made
    const others = await kept()
    if (others.length > 0) return others
    // It is there, and its seal cannot be opened any more: the secret key of the site is another one.
    await artifacts.put(database.db, KIND, ID, written(made))
    return made
  }
  return {
    load,
    async rotate(lifeMs) {
      await load()
      const pem = await newPem()
      const untilMs = clock.now() + lifeMs + MARGIN_MS
      await database.transaction(async (tx) => {
        await lockName(database, tx, KIND)
        const older = (await kept(tx)).map((key) => ({ ...key, untilMs: key.untilMs ?? untilMs }))
        const keys = [{ pem, untilMs: null }, ...older.filter((key) => key.untilMs > clock.now())]
        await artifacts.put(tx, KIND, ID, written(keys))
      })
    },
  }
}

function keptOf(found: { readonly payload: unknown } | null): readonly KeptKey[] {
  return found !== null && Array.isArray(found.payload) ? (found.payload as readonly KeptKey[]) : [] // written here alone
}

async function newPem(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}
