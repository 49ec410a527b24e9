import type { Exchange } from '../exchange.ts'
import { draugiemExchange } from './draugiem.ts'
import { dummyExchange } from './dummy.ts'
import type { CustomRecord } from './record.ts'
import { telegramExchange } from './telegram.ts'

const EXCHANGES: Readonly<Record<CustomRecord['speaks'], (record: CustomRecord) => Exchange>> = {
  telegram: telegramExchange,
  draugiem: draugiemExchange,
  dummy: dummyExchange,
}

/** What speaks the own protocol of a provider. */
export const customExchange = (record: CustomRecord): Exchange => EXCHANGES[record.speaks](record)
