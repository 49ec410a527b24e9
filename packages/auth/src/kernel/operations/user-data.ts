import type { ConnectedKernel } from '../module.ts'
import type { User } from '../users/user.ts'
import type { Visit } from '../visit.ts'

/** Converts a user to its JSON, without empty members. */
export async function userData(kernel: ConnectedKernel, visit: Visit, user: User): Promise<object> {
  for (const module of kernel.modules) {
    const members = await module.serializeUser?.(visit, user)
    if (members === undefined) continue
    return Object.fromEntries(
      Object.entries(members).filter(([, value]) => value !== '' && value !== null && value !== undefined),
    )
  }
  return {}
}
