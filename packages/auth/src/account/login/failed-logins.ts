import type { Site } from '../../kernel/visit.ts'
import { foldText } from '../email/same-text.ts'

/**
 * Returns the key that `login_failed` counts by: one for all spellings of an identifier that find the same user, so
 * that none has attempts of its own. Each identifier of a user counts separately, phones too.
 * @param identifier Username, address or phone, as entered.
 */
export const failedLoginKey = (site: Site, identifier: string): string =>
  `${site.domain}:${foldText(identifier).trim()}`
