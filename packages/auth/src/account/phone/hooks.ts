import type { Core } from '../../core.ts'
import { AuthError } from '../../errors.ts'
import type { PhoneHooks } from '../adapter.ts'

/** What the hooks about phones do unless the host gives others: numbers are kept here, messages are the host's to send. */
export function phoneHooks(core: () => Core): PhoneHooks {
  return {
    cleanPhone: async (_request, phone) => phone,
    sendVerificationCodeSms: async () => {
      throw new AuthError('not_implemented_hook', { details: { hook: 'sendVerificationCodeSms' } })
    },
    sendUnknownAccountSms: async () => {},
    sendAccountAlreadyExistsSms: async () => {},
    getPhone: (request, user) => core().phones.ofUser(request.db, user.id),
    setPhone: (request, user, phone, verified) => core().phones.set(request.db, user.id, phone, verified),
    async setPhoneVerified(request, user, phone) {
      const present = await core().phones.ofUser(request.db, user.id)
      return present?.phone === phone && core().phones.set(request.db, user.id, phone, true)
    },
    async getUserByPhone(request, phone) {
      const id = await core().phones.owner(request.db, phone)
      return id === null ? null : core().users.byId(request.db, id)
    },
  }
}
