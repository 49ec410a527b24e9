import type { Site } from '../../kernel/visit.ts'
import { sameText } from '../email/same-text.ts'

/**
 * What `login_failed` is counted by: one text for all spellings of an identifier that find the same person, so that
 * none of them has tries of its own. Every identifier of a person is counted by itself, phones too.
 * @param identifier User name, address or phone, as it was given.
 */
export const failedLoginKey = (site: Site, identifier: string): string =>
  `${site.domain}:${sameText(identifier).trim()}`
