import type { Flow } from '@gatepost/auth/client'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { type Reauthenticate, ReauthenticationContext } from './confirmed.ts'
import { reauthenticationTexts } from './texts.ts'
import { type ReauthenticationMethod, listMethods } from './ways.ts'
import { MethodForm } from './way-form.tsx'
import { useSignOut } from '../../../frame/use-sign-out.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { Row } from '../../../parts/layout.tsx'

interface PendingReauthentication {
  readonly flows: readonly Flow[]
  readonly answer: Promise<boolean>
  settle(isConfirmed: boolean): void
}

/** Provides the reauthentication dialog to its children. Simultaneous requests share one dialog. */
export function ReauthenticationProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<PendingReauthentication | null>(null)
  const open = useRef<PendingReauthentication>(null)
  const askPerson = useCallback<Reauthenticate>((flows) => {
    if (open.current !== null) return open.current.answer
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const settle = (isConfirmed: boolean): void => {
      open.current = null
      setQuestion(null)
      resolve(isConfirmed)
    }
    open.current = { flows, answer: promise, settle }
    setQuestion(open.current)
    return promise
  }, [])
  return (
    <ReauthenticationContext value={askPerson}>
      {children}
      {question !== null && <ReauthenticationDialog {...question} />}
    </ReauthenticationContext>
  )
}

function ReauthenticationDialog({ flows, settle }: PendingReauthentication): ReactNode {
  const texts = useTexts(reauthenticationTexts)
  const signOut = useSignOut()
  const first = useRef<HTMLInputElement>(null)
  const ways = listMethods(flows)
  const [chosen, choose] = useState<ReauthenticationMethod>()
  const way = chosen ?? ways[0]
  return (
    <Dialog open title={texts.title} lead={texts.lead} initialFocus={first} onClose={() => settle(false)}>
      {way === undefined ? (
        <>
          <p>{texts.noWay}</p>
          <DialogActions>
            <Button kind="primary" onClick={signOut}>
              {texts.signInAgain}
            </Button>
          </DialogActions>
        </>
      ) : (
        <MethodForm key={way} way={way} first={first} onConfirmed={() => settle(true)} />
      )}
      {ways.length > 1 && (
        <Row>
          {ways
            .filter((other) => other !== way)
            .map((other) => (
              <Button key={other} kind="quiet" small onClick={() => choose(other)}>
                {texts.other[other]}
              </Button>
            ))}
        </Row>
      )}
    </Dialog>
  )
}
