import { describePlatform } from '../../contract/platform.contract.ts'
import { dingtalkHarness } from './dingtalk.contract.ts'

describePlatform('dingtalk', dingtalkHarness)
