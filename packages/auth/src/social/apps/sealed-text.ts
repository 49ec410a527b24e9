import type { Sealer } from '../../kernel/crypto/crypto.ts'

/** In front of what is sealed. Sites that do not seal keep what providers gave them, which never begins so. */
const MARK = 'sealed:'

/** What a sealed text is: one cannot stand in the place of another. */
export type SealedPlace = 'app secret' | 'app key' | 'app setting' | 'provider token'

const sealContext = (place: SealedPlace): string => `gatepost ${place}`

/** A secret as it is stored; nothing stays nothing. */
export const sealText = (sealer: Sealer, text: string, place: SealedPlace): string =>
  text === '' ? '' : `${MARK}${sealer.seal(text, sealContext(place))}`

/**
 * The secret of what is stored; clear text, as an old site has it, is the secret itself.
 * @throws {AuthError} `secret_unreadable`: it is sealed, and not with our keys
 */
export const openText = (sealer: Sealer, stored: string, place: SealedPlace): string =>
  stored.startsWith(MARK) ? sealer.open(stored.slice(MARK.length), sealContext(place)) : stored
