import { type DeliverySnapshot, sendAgain } from './broadcast.ts'
import type { Person } from './people.ts'
import { call } from '../../../api/call.ts'

/** The service's page limit. */
const MOST = 200

/** Returns the existing deliveries before a broadcast. @throws {ApiError} */
export async function takeDeliverySnapshot(): Promise<DeliverySnapshot> {
  const [newest, dead] = await Promise.all([
    call('listAllDeliveries', { query: { limit: MOST } }),
    call('listAllDeliveries', { query: { limit: MOST, dead: 'true' } }),
  ])
  const all = [...newest.items, ...dead.items]
  return {
    ids: new Set(all.map(({ id }) => id)),
    since: all.reduce((youngest, { created_at }) => Math.max(youngest, created_at), 0),
  }
}

/** Sends to one person and waits for the outcome. @throws {ApiError} */
export async function deliver({ platform, userId }: Person, message: string): Promise<void> {
  await call('sendMessage', { params: { platform }, body: { message, user_id: userId } })
}

/** Sends again, retrying parts stored since `before` instead of repeating them. @throws {ApiError} */
export const redeliver = (person: Person, message: string, before: DeliverySnapshot): Promise<void> =>
  sendAgain({
    send: () => deliver(person, message),
    resend: (id) => call('resendDelivery', { params: { platform: person.platform, id } }),
    async stored() {
      const { items } = await call('listAllDeliveries', { query: { platform: person.platform, limit: MOST } })
      const isIts = ({ id, kind, created_at, to }: (typeof items)[number]): boolean =>
        kind === 'send' && to?.user_id === person.userId && created_at >= before.since && !before.ids.has(id)
      return items.filter(isIts).toReversed()
    },
  })
