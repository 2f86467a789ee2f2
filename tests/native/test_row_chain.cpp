// Chains of launches give the bits of the launches one by one; launches that are no chain are not joined.
#include "cpu_row_chain.hpp"

#include <cmath>

#include "check.hpp"
#include "cpu_module.hpp"
#include "file.hpp"
#include "module_choice.hpp"
#include "sample.hpp"

using namespace whitecap;
using namespace sample;

namespace {

const CpuModule& kernels() {
    static const auto module = CpuModule::load_file(TEST_KERNELS);
    return *module;
}

const CpuEntries& stencil_entries() {
    static const CpuEntries entries = find_entries(kernels(), "stencil_00000002_cpu_forward", "");
    return entries;
}

// Two fields that stencil launches read and write in turn. `stride`: floats from row to row.
struct Fields {
    int rows, columns, stride;
    std::vector<float> a, b;

    Fields(int rows, int columns, int padding = 0)
        : rows(rows),
          columns(columns),
          stride(columns + padding),
          a(static_cast<std::size_t>(rows * stride)),
          b(a.size()) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<float>(i) * 0.37f);
    }

    Argument argument(std::int32_t region, Access access, int first_row = 0) const {
        ArrayAbi array{};
        array.shape[0] = rows, array.shape[1] = columns;
        array.strides[0] = stride * 4, array.strides[1] = 4;
        array.ndim = 2;
        Argument result;
        result.value.resize(sizeof array);
        std::memcpy(result.value.data(), &array, sizeof array);
        result.access = access;
        const auto offset = static_cast<std::uint64_t>(first_row * stride * 4);
        result.relocations = {{0, region, offset, RelocationKind::data_pointer},
                              {8, kNoRegion, 0, RelocationKind::null}};
        return result;
    }

    Launch launch(int step) const {
        Launch result;
        result.kernel_key = "stencil";
        result.ndim = 2;
        result.shape = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns), 0, 0};
        result.size = result.dim = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
        result.arguments = {argument(step % 2 ? 2 : 1, Access::read),
                            argument(step % 2 ? 1 : 2, Access::write)};
        return result;
    }

    CpuLaunch prepared(const Launch& launch) {
        return CpuLaunch(launch, stencil_entries(), [this](const Relocation& relocation) -> const void* {
            return relocation.region == 1 ? a.data() : relocation.region == 2 ? b.data() : nullptr;
        });
    }

    void run_plainly(int steps) {
        ThreadPool::Session session(1, 0);
        for (int step = 0; step < steps; ++step) prepared(launch(step)).run(session);
    }

    void run_as_chain(int steps, int threads) {
        RowChainRules rules;
        std::vector<CpuLaunch> launches;
        for (int step = 0; step < steps; ++step) {
            const Launch next = launch(step);
            CHECK(rules.accept(next, stencil_entries()));
            launches.push_back(prepared(next));
        }
        const CpuRowChain chain(std::move(launches), rules);
        ThreadPool::Session session(threads, next_size());
        chain.run(session);
    }

    bool operator==(const Fields& other) const {
        return std::memcmp(a.data(), other.a.data(), a.size() * 4) == 0 &&
               std::memcmp(b.data(), other.b.data(), b.size() * 4) == 0;
    }

  private:
    std::uint64_t next_size() const { return std::uint64_t{1} << 20; }
};

// Whether the second launch may join a chain that the first began.
bool joins(const Launch& first, const Launch& second) {
    RowChainRules rules;
    CHECK(rules.accept(first, stencil_entries()));
    return rules.accept(second, stencil_entries());
}

}  // namespace

TEST(a_chain_gives_the_bits_of_its_launches) {
    for (int rows : {1, 2, 5, 36, 71, 200, 411}) {
        for (int steps : {1, 2, 3, 17}) {
            Fields expected(rows, 23);
            expected.run_plainly(steps);
            for (int threads : {1, 2, 3, 8}) {
                Fields chained(rows, 23);
                chained.run_as_chain(steps, threads);
                if (!(chained == expected)) {
                    check::fail(__FILE__, __LINE__,
                                std::to_string(rows) + " rows, " + std::to_string(steps) + " steps, " +
                                    std::to_string(threads) + " threads differ");
                }
            }
        }
    }
}

TEST(chains_longer_than_the_cache_run_in_groups_with_the_same_bits) {
    Fields expected(150, 5, 40000);  // a row takes 320 kB of the arrays
    expected.run_plainly(33);
    for (int threads : {1, 2, 5}) {
        Fields chained(150, 5, 40000);
        chained.run_as_chain(33, threads);
        CHECK(chained == expected);
    }
}

TEST(launches_of_another_shape_or_rank_do_not_join) {
    const Fields fields(20, 10);
    const Launch first = fields.launch(0);
    CHECK(joins(first, fields.launch(1)));
    Launch other = fields.launch(1);
    other.shape[1] = 9, other.size = other.dim = 180;
    CHECK(!joins(first, other));
    other = fields.launch(1);
    other.size = other.dim = 400;
    CHECK(!joins(first, other));
    other = fields.launch(1);
    other.ndim = 1;
    CHECK(!joins(first, other));
    other = fields.launch(1);
    other.forward = false;
    CHECK(!joins(first, other));
}

TEST(another_view_of_a_region_does_not_join) {
    const Fields fields(20, 10);
    Launch shifted = fields.launch(1);
    shifted.arguments[0] = fields.argument(2, Access::read, 1);
    CHECK(!joins(fields.launch(0), shifted));
}

TEST(arrays_with_gradients_and_single_rows_do_not_join) {
    const Fields fields(20, 10);
    Launch gradient = fields.launch(1);
    gradient.arguments[0].relocations[1] = {8, 1, 0, RelocationKind::data_pointer};
    CHECK(!joins(fields.launch(0), gradient));
    Fields flat(20, 10);
    flat.stride = 0;
    RowChainRules rules;
    CHECK(!rules.accept(flat.launch(0), stencil_entries()));
}

TEST(tables_that_do_not_fit_are_not_used) {
    const Fields fields(20, 10);
    const auto accepts = [&](const std::vector<int>& table) {
        CpuEntries entries = stencil_entries();
        entries.rows = table.empty() ? nullptr : table.data();
        RowChainRules rules;
        return rules.accept(fields.launch(0), entries);
    };
    CHECK(accepts({1, 1, 2, 1, 1}));
    CHECK(accepts({1, 0, 2, 1, 1}));
    CHECK(!accepts({}));
    CHECK(!accepts({2, 1, 2, 1, 1}));
    CHECK(!accepts({1, 1, 3, 1, 1, 1}));
    CHECK(!accepts({1, -1, 2, 1, 1}));
    CHECK(!accepts({1, 1000, 2, 1, 1}));
    CHECK(!accepts({1, 1, 2, 0, 1}));
    CHECK(!accepts({1, 1, 2, 3, 1}));
}

TEST(a_region_that_is_read_anywhere_is_not_written_in_the_chain) {
    const Fields fields(20, 10);
    const int anywhere[] = {1, 1, 2, 2, 1};
    CpuEntries entries = stencil_entries();
    entries.rows = anywhere;
    RowChainRules rules;
    CHECK(rules.accept(fields.launch(0), entries));   // reads 1 at any place, writes 2
    CHECK(!rules.accept(fields.launch(1), entries));  // reads 2 at any place, writes 1
    CHECK(rules.accept(fields.launch(0), entries));   // what was refused has left no trace
}
