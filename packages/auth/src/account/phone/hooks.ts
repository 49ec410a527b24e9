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

/** Whether the host has given a hook that sends messages to phones. */
export const canSendTexts = ({ adapter }: Pick<Account, 'adapter'>): boolean =>
  adapter.sendVerificationCodeSms !== NO_MESSAGES

/** Whether these settings use phones and the host has given no hook that sends messages to them. */
export const lacksTextSender = ({ kernel: { settings }, adapter }: Account): boolean =>
  !canSendTexts({ adapter }) &&
  (settings.account.loginMethods.includes('phone') ||
    settings.account.signupFields.some(({ name }) => name === 'phone'))

/** What the hooks about phones do unless the host gives others: numbers are kept here, messages are the host's to send. */
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
