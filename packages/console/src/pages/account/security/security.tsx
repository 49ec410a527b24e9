import { type ReactNode, useState } from 'react'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Keys } from './keys.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { useRead } from '../account-reads.ts'
import { Loaded } from '../../../parts/states.tsx'

/** Passkeys, security keys, authenticator app and recovery codes: those that the service has. */
export function Security(): ReactNode {
  const types = useRead('config').data?.mfa?.supported_types ?? []
  const factors = useRead('factors')
  /** Codes were made with the first factor, and nobody has seen them yet. */
  const [hasFresh, setFresh] = useState(false)
  const onAdded = (hasNewCodes: boolean): void => setFresh((had) => had || hasNewCodes)
  return (
    <Loaded of={factors} lines={8}>
      {(found) => (
        <>
          {types.includes('webauthn') && (
            <Keys keys={found.filter((factor) => factor.type === 'webauthn')} onAdded={onAdded} />
          )}
          {types.includes('totp') && (
            <AuthenticatorApp app={found.find((factor) => factor.type === 'totp') ?? null} onAdded={onAdded} />
          )}
          {types.includes('recovery_codes') && (
            <RecoveryCodes
              codes={found.find((factor) => factor.type === 'recovery_codes') ?? null}
              hasOther={found.some((factor) => factor.type !== 'recovery_codes')}
              isFresh={hasFresh}
              onSeen={() => setFresh(false)}
            />
          )}
        </>
      )}
    </Loaded>
  )
}
