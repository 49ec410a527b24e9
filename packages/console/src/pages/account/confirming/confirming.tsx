import type { Flow } from '@gatepost/auth/client'
import { type ReactNode, useCallback, useRef, useState } from 'react'
import { type AskPerson, AskPersonContext } from './confirmed.ts'
import { confirmTexts } from './texts.ts'
import { type Way, waysOf } from './ways.ts'
import { WayForm } from './way-form.tsx'
import { useSignOut } from '../../../frame/use-sign-out.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog, DialogActions } from '../../../parts/dialog.tsx'
import { Row } from '../../../parts/layout.tsx'

interface Question {
  readonly flows: readonly Flow[]
  readonly answer: Promise<boolean>
  settle(isConfirmed: boolean): void
}

/** Lets everything in it ask the person who they are. Two who ask at the same time get one answer. */
export function Confirming({ children }: { readonly children: ReactNode }): ReactNode {
  const [question, setQuestion] = useState<Question | null>(null)
  const open = useRef<Question>(null)
  const askPerson = useCallback<AskPerson>((flows) => {
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
    <AskPersonContext value={askPerson}>
      {children}
      {question !== null && <WhoAreYou {...question} />}
    </AskPersonContext>
  )
}

function WhoAreYou({ flows, settle }: Question): ReactNode {
  const texts = useTexts(confirmTexts)
  const signOut = useSignOut()
  const first = useRef<HTMLInputElement>(null)
  const ways = waysOf(flows)
  const [chosen, choose] = useState<Way>()
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
        <WayForm key={way} way={way} first={first} onConfirmed={() => settle(true)} />
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
