import type { Registered } from './verify.ts'

/**
 * A credential that nobody has, its private key thrown away: checked where a user or a key is not known, so that the
 * time does not tell.
 */
export const DECOY: Registered = {
  id: 'QE6sBx1sZDiIWrIVx-TVpQAuGJoZzfl00bVtE4TGy40',
  attestationObject:
    'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik95SE_aDuRnaW_ZhWmR9LueCBblUaPdZRJ7m3NDgWMnpFAAAAAAAAAAAAAAAAAAAAAAAAAAAAIEBOrAcdbGQ4iFqyFcfk1aUALhiaGc35dNG1bROExsuNpQECAyYgASFYILO4UAMKz4MI3yeFZDfGfFX86Y2tsQpZhzgpNPeLLosHIlggFOmSkg8R755YAu2Jttur50VaYwXGAF1NTR2ZAwdEGUU',
}
