import { type ReactNode, useState } from 'react'
import { AuthenticatorApp } from './authenticator-app.tsx'
import { Passkeys } from './passkeys.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { useAccountQuery } from '../account-api.ts'
import { Loaded } from '../../../parts/states.tsx'

/** The section of two-factor methods that the service supports. */
export function Security(): ReactNode {
  const types = useAccountQuery('config').data?.mfa?.supported_types ?? []
  const factors = useAccountQuery('factors')
  /** Whether recovery codes were generated and haven't been shown yet. */
  const [hasFresh, setFresh] = useState(false)
  const onAdded = (hasNewCodes: boolean): void => setFresh((had) => had || hasNewCodes)
  return (
    <Loaded query={factors} lines={8}>
      {(found) => (
        <>
          {types.includes('webauthn') && (
            <Passkeys keys={found.filter((factor) => factor.type === 'webauthn')} onAdded={onAdded} />
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
