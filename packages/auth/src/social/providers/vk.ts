import type { OAuth2Record } from '../oauth2/record.ts'

/** VK. */
export const vk = {
  id: 'vk',
  name: 'VK',
  protocol: 'oauth2',
  source: 'https://id.vk.com/about/business/go/docs/en/vkid/latest/vk-id/connection/api-description',
  endpoints: {
    authorize: 'https://id.vk.ru/authorize',
    token: 'https://id.vk.ru/oauth2/auth',
    profile: 'https://id.vk.ru/oauth2/user_info',
  },
  emailScopes: ['email'],
  tokenRequest: { fromCallback: ['device_id'], freshState: true },
  profile: { method: 'POST', token: { form: 'access_token' }, form: { client_id: '{client_id}' }, root: 'user' },
  person: {
    uid: 'user_id',
    email: 'email',
    username: 'screen_name',
    firstName: 'first_name',
    lastName: 'last_name',
    phone: 'phone',
  },
} satisfies OAuth2Record
