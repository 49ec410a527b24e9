import type { CustomRecord } from '../custom/record.ts'

/** Draugiem.lv. */
export const draugiem = {
  id: 'draugiem',
  name: 'Draugiem',
  protocol: 'custom',
  source: 'https://www.draugiem.lv/applications/dev/docs/passport/',
  speaks: 'draugiem',
  authorizeUrl: 'https://api.draugiem.lv/authorize',
  tokenUrl: 'https://api.draugiem.lv/json',
  person: { uid: 'uid', firstName: 'name', lastName: 'surname' },
} satisfies CustomRecord
