import { type ReactNode, useState } from 'react'
import { type NewToken, CreateToken } from './make-token.tsx'
import { NewTokenPanel } from './new-token-panel.tsx'
import { tokenTexts } from './texts.ts'
import { TokenRow } from './token-row.tsx'
import { useOwnAccountQuery } from './use-own.ts'
import style from '../account.module.css'
import { LongList } from '../long-list.tsx'
import { usePanel } from '../use-panel.ts'
import { serviceUrl } from '../../../api/address.ts'
import { useCall } from '../../../api/queries.ts'
import { useTexts } from '../../../language/texts.ts'
import { Button, buttonClass } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card } from '../../../parts/layout.tsx'
import { Loaded } from '../../../parts/states.tsx'

/** The section of personal access tokens and authorized apps. */
export function Tokens(): ReactNode {
  const texts = useTexts(tokenTexts)
  const tokens = useCall('listTokens', useOwnAccountQuery())
  const { isOpen, opener, open, close } = usePanel()
  /** A secret: exists only while this component is shown. */
  const [made, setMade] = useState<NewToken | null>(null)
  return (
    <>
      <Card title={texts.tokens} actions={<a href={serviceUrl('api/docs')}>{texts.reference}</a>}>
        <p className={style['soft']}>{texts.tokensLead}</p>
        {made !== null && <NewTokenPanel {...made} onClose={() => setMade(null)} />}
        {isOpen ? (
          <CreateToken
            onMade={(token) => {
              close()
              setMade(token)
            }}
            onClose={close}
          />
        ) : (
          <div>
            <Button kind={made === null ? 'primary' : 'secondary'} ref={opener} onClick={open}>
              <Icon name="plus" /> {texts.make}
            </Button>
          </div>
        )}
        <Loaded of={tokens}>
          {(found) =>
            found.tokens.length === 0 ? (
              <p>{texts.noTokens}</p>
            ) : (
              <LongList items={found.tokens} itemKey={({ id }) => id}>
                {(token) => <TokenRow token={token} />}
              </LongList>
            )
          }
        </Loaded>
      </Card>
      <Card title={texts.programs}>
        <p className={style['soft']}>{texts.programsLead}</p>
        <div>
          <a className={buttonClass({})} href={serviceUrl('accounts/applications/')}>
            {texts.openPrograms} <Icon name="next" size={16} />
          </a>
        </div>
      </Card>
    </>
  )
}
