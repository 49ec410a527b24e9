import type { Account } from '../account.ts'
import { AuthError } from '../../errors.ts'
import type { Field } from '../../kernel/forms/form.ts'
import type { PhoneHooks } from '../adapter.ts'

const PHONE_FIELD: Field = {
  name: 'phone',
  label: 'Phone number',
  type: 'tel',
  required: true,
  autocomplete: 'tel',
  inputMode: 'tel',
  helpText: 'Include the country code, for example +49 30 123456.',
  maxLength: 40,
}

const NO_MESSAGES: PhoneHooks['sendVerificationCodeSms'] = async () => {
  throw new AuthError('not_implemented_hook', { details: { hook: 'sendVerificationCodeSms' } })
}

/** Returns whether the host has a hook that sends text messages. */
export const canSendTexts = ({ adapter }: Pick<Account, 'adapter'>): boolean =>
  adapter.sendVerificationCodeSms !== NO_MESSAGES

/** Returns whether the settings use phone numbers although the host has no hook that sends text messages. */
export const lacksTextSender = ({ kernel: { settings }, adapter }: Account): boolean =>
  !canSendTexts({ adapter }) &&
  (settings.account.loginMethods.includes('phone') ||
    settings.account.signupFields.some(({ name }) => name === 'phone'))

/** Returns the default phone hooks: they store numbers in our table, and leave it to the host to send messages. */
export function phoneHooks(account: Account): PhoneHooks {
  return {
    phoneFormField: (options = {}) => ({ ...PHONE_FIELD, ...options }),
    cleanPhone: async (_request, phone) => phone,
    sendVerificationCodeSms: NO_MESSAGES,
    sendUnknownAccountSms: async () => {},
    sendAccountAlreadyExistsSms: async () => {},
    getPhone: (request, user) => account.phones.ofUser(request.db, user.id),
    setPhone: (request, user, phone, verified) => account.phones.set(request.db, user.id, phone, verified),
    async setPhoneVerified(request, user, phone) {
      const present = await account.phones.ofUser(request.db, user.id)
      return present?.phone === phone && account.phones.set(request.db, user.id, phone, true)
    },
    async getUserByPhone(request, phone) {
      const id = await account.phones.owner(request.db, phone)
      return id === null ? null : account.kernel.users.byId(request.db, id)
    },
  }
}
