import type { CustomRecord } from '../custom/record.ts'

/** Telegram, by its login widget. The secret of the app is the token of the bot. */
export const telegram = {
  id: 'telegram',
  name: 'Telegram',
  protocol: 'custom',
  source: 'https://core.telegram.org/widgets/login',
  speaks: 'telegram',
  authorizeUrl: 'https://oauth.telegram.org/auth',
  person: { uid: 'id', username: 'username', firstName: 'first_name', lastName: 'last_name' },
} satisfies CustomRecord
